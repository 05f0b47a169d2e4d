#!/bin/sh
# Builds every test kernel for every target and writes the results to built/ beside this script.
#
#   tests/kernels/build.sh [FILTER]     only the outputs whose name contains FILTER, as in `reduce` or `O3.wave64`
#
# An output `SOURCE.O0.hipfb` or `SOURCE.O3.hipfb` is a HIP fat binary (a clang offload bundle, zstd-compressed) that
# holds all targets; a third part of the name tells a variant. The outputs are the same for the same clang.
# CLANG names another compiler, JOBS another number of parallel builds.
set -eu
cd "$(dirname "$0")"
CLANG=${CLANG:-clang-22}
JOBS=${JOBS:-2}
FILTER=${1:-}

ALL="gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150 gfx1201 gfx1250"
WAVE64="gfx1030 gfx1100 gfx1201"
MATRIX="gfx908 gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250"
PRELOAD="gfx90a gfx942 gfx950 gfx1250"

# -fuse-cuid=none leaves out a symbol made from the path of the source; no contraction, so that the only fused
# multiply-adds are those that the sources ask for.
FLAGS="-x hip --offload-device-only -nogpuinc -nogpulib -std=c++20 -Wall -Wextra -Werror -fuse-cuid=none -ffp-contract=off"

# job OUTPUT SOURCE TARGETS FLAGS...: one line for each compilation, read by xargs below.
jobs=$(mktemp)
trap 'rm -f "$jobs"' EXIT
job() {
  output=$1 source=$2 targets=$3
  shift 3
  case $output in *"$FILTER"*) ;; *) return 0 ;; esac
  archs=""
  for target in $targets; do archs="$archs --offload-arch=$target"; done
  bundle="--gpu-bundle-output --offload-compress"
  case $output in *.hsaco) bundle="--no-gpu-bundle-output" ;; esac
  echo "$CLANG $FLAGS $bundle $archs $* $source.hip -o built/$output" >>"$jobs"
}

for source in abi bytes calls crosslane diverge float32 float64 generic_pointer half integer linear matmul \
  private_array reduce switch transcendental \
  fft grid_barrier histogram mandelbrot nbody queue radix_sort search sha256 sparse stencil; do
  for opt in O0 O3; do
    job "$source.$opt.hipfb" $source "$ALL" -$opt
  done
done

# GFX10 and later run waves of 32 lanes unless told otherwise.
for source in abi crosslane diverge generic_pointer integer reduce; do
  for opt in O0 O3; do
    job "$source.$opt.wave64.hipfb" $source "$WAVE64" -$opt -mwavefrontsize64
  done
done
for source in histogram radix_sort sparse; do
  job "$source.O3.wave64.hipfb" $source "$WAVE64" -O3 -mwavefrontsize64
done

# Targets with matrix instructions.
for opt in O0 O3; do
  job "matrix.$opt.hipfb" matrix "$MATRIX" -$opt
done

# The tensor data mover.
for opt in O0 O3; do
  job "tensor.$opt.hipfb" tensor gfx1250 -$opt
done

# Code object versions; the plain outputs have the compiler's default.
for version in 4 5 6; do
  job "abi.O3.v$version.hipfb" abi "$ALL" -O3 -mcode-object-version=$version -DWG_CODE_OBJECT_VERSION=$version
done
job "abi.O0.v4.hipfb" abi "$ALL" -O0 -mcode-object-version=4 -DWG_CODE_OBJECT_VERSION=4

# Kernel arguments in SGPRs.
job "abi.O3.preload.hipfb" abi "$PRELOAD" -O3 -mllvm -amdgpu-kernarg-preload-count=16

# Grids that workgroups do not divide: the last workgroup along an axis is partial.
job "abi.O0.partial.hipfb" abi "$ALL" -O0 -fno-offload-uniform-block
job "abi.O3.partial.hipfb" abi "$ALL" -O3 -fno-offload-uniform-block

# Code objects that are in no bundle; one is for a fixed setting of XNACK and SRAM ECC.
job "linear.O3.gfx90a.hsaco" linear gfx90a -O3
job "linear.O3.gfx1100.hsaco" linear gfx1100 -O3
job "matmul.O3.gfx900.hsaco" matmul gfx900 -O3
job "reduce.O3.gfx90a-sramecc+-xnack-.hsaco" reduce "gfx90a:sramecc+:xnack-" -O3

mkdir -p built
xargs -P "$JOBS" -I{} sh -c '{}' <"$jobs"
find built -name '*.hsaco' -exec chmod -x {} +
