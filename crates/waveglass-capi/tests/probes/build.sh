#!/bin/sh
# Assembles and compiles the probes with LLVM 22; the results are checked in.
set -eu
cd "$(dirname "$0")"
for target in gfx900 gfx90a gfx942 gfx950 gfx1030 gfx1100 gfx1201 gfx1250; do
    case $target in
    gfx12*) gfx=12 ;; gfx11*) gfx=11 ;; gfx10*) gfx=10 ;; *) gfx=9 ;;
    esac
    case $target in
    gfx942 | gfx950 | gfx11* | gfx12*) architected=1 ;; *) architected=0 ;;
    esac
    for probe in state lds scratch; do
        # gfx1030's scratch needs no more than gfx900's does.
        [ "$probe $target" = "scratch gfx1030" ] && continue
        llvm-mc-22 -triple=amdgcn -mcpu=$target -filetype=obj \
            -defsym GFX=$gfx -defsym ARCHITECTED=$architected $probe.s -o $probe.o
        llvm-objcopy-22 -O binary --only-section=.text $probe.o $probe.$target.bin
        rm $probe.o
    done
done
clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx1100 -nogpulib -cl-std=CL2.0 -O2 \
    counter.cl -o counter.gfx1100.hsaco
