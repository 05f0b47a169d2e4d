#!/bin/sh
# Writes the assembly of some test kernels to asm/ beside this script, compressed, one file a target:
# the same compilations as those behind built/, which the assembler's test compares with.
# CLANG names another compiler.
set -eu
cd "$(dirname "$0")"
CLANG=${CLANG:-clang-22}
ALL="gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150 gfx1201 gfx1250"
FLAGS="-x hip --offload-device-only -nogpuinc -nogpulib -std=c++20 -Wall -Wextra -Werror -fuse-cuid=none -ffp-contract=off"
mkdir -p asm
for build in calls.O0 calls.O3 linear.O0 linear.O3 reduce.O3 matmul.O3 crosslane.O3 switch.O0 private_array.O0 \
  transcendental.O3; do
  for target in $ALL; do
    $CLANG $FLAGS --offload-arch="$target" "-${build#*.}" -S "${build%.*}.hip" -o - | gzip -9n >"asm/$build.$target.s.gz"
  done
done
