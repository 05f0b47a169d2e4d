#!/bin/sh
# Compiles the OpenCL kernels for the targets of the comparison and writes the code objects to ../built/.
set -eu
cd "$(dirname "$0")"
CLANG=${CLANG:-clang-22}
for target in gfx900 gfx1100; do
  "$CLANG" -x cl -cl-std=CL1.2 -cl-no-stdinc --target=amdgcn-amd-amdhsa -mcpu=$target -nogpulib -O3 -Wall -Wextra \
    -include opencl.h matmul.cl -o ../built/opencl.matmul.$target.hsaco
  chmod -x ../built/opencl.matmul.$target.hsaco
done
