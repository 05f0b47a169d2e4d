#!/bin/sh
# Makes the samples of this folder again, with LLVM 22.
set -eu
cd "$(dirname "$0")"
hip="clang-22 -x hip -nogpuinc -nogpulib -O2"
for v in 4 5 6; do
  $hip --offload-arch=gfx90a --offload-device-only -mcode-object-version=$v --no-gpu-bundle-output vadd.hip -o vadd-gfx90a-v$v.co
done
$hip --offload-arch=gfx90a:xnack+:sramecc- --offload-device-only --no-gpu-bundle-output vadd.hip -o vadd-gfx90a-on-off.co
$hip --offload-arch=gfx11-generic --offload-device-only -mcode-object-version=6 --no-gpu-bundle-output vadd.hip -o vadd-gfx11-generic.co
$hip --offload-arch=gfx1250 --offload-device-only --no-gpu-bundle-output vadd.hip -o vadd-gfx1250.co
two="--offload-arch=gfx906 --offload-arch=gfx1100 --offload-device-only --gpu-bundle-output"
$hip $two vadd.hip -o vadd.bundle
$hip $two --offload-compress vadd.hip -o vadd-v3.ccob

clang-offload-bundler-22 -type=o -unbundle -targets=hipv4-amdgcn-amd-amdhsa--gfx906 -input=vadd.bundle -output=906.tmp
for v in 2 3; do
  COMPRESSED_BUNDLE_FORMAT_VERSION=$v clang-offload-bundler-22 -type=o -compress -bundle-align=4096 \
    -targets=host-x86_64-unknown-linux-gnu-,hipv4-amdgcn-amd-amdhsa--gfx906 -input=/dev/null -input=906.tmp -output=bundler-v$v.ccob
done
$hip --offload-arch=gfx906 --no-offload-new-driver -c vadd.hip -o vadd-host.o
clang-offload-packager-22 -o vadd.packager --image=file=906.tmp,triple=amdgcn-amd-amdhsa,arch=gfx906,kind=hip
rm -f 906.tmp
# Preprocessed first, without line markers: none may stand inside .amdhsa_kernel.
kd() { clang-22 -E -P -x assembler-with-cpp $3 kd.s | llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=$1 ${4-} -filetype=obj -o kd.tmp; ld.lld-22 -shared kd.tmp -o kd-$2.co; rm kd.tmp; }
kd gfx900 gfx900 ""
kd gfx942 gfx942 "-DGFX90A"
kd gfx1030 gfx1030 "-DGFX10"
kd gfx1030 gfx1030-wave64 "-DWAVE64" -mattr=+wavefrontsize64
kd gfx1100 gfx1100 "-DGFX11"
kd gfx1201 gfx1201 "-DGFX11"
kd gfx1250 gfx1250 "-DGFX1250"
llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx900 -filetype=obj relocations.s -o relocations.tmp
ld.lld-22 -shared relocations.tmp -o relocations.co
rm relocations.tmp
