#!/bin/sh
# Compiles the Triton kernels for every target and bundles each kernel's code objects, zstd-compressed, into
# ../built/triton.NAME.hipfb; ../built/triton.lds.txt says how much dynamic LDS each is launched with.
#
# Needs Python with the `triton` package (made with 3.9.0) and LLVM's tools; no GPU, no PyTorch.
set -eu
cd "$(dirname "$0")"
BUNDLER=${BUNDLER:-clang-offload-bundler-22}
STRIP=${STRIP:-llvm-strip-22}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
TRITON_CACHE_DIR="$out/cache" python3 kernels.py "$out"
: >"$out/host"
mv "$out/lds.txt" ../built/triton.lds.txt
for first in "$out"/*.gfx90a.hsaco; do
  name=$(basename "$first" .gfx90a.hsaco)
  targets="host-x86_64-unknown-linux-gnu-"
  inputs="-input=$out/host"
  for object in "$out/$name".*.hsaco; do
    "$STRIP" "$object"
    target=${object%.hsaco}
    targets="$targets,hipv4-amdgcn-amd-amdhsa--${target##*.}"
    inputs="$inputs -input=$object"
  done
  # shellcheck disable=SC2086
  "$BUNDLER" -type=o -bundle-align=4096 -compress -targets="$targets" $inputs -output="../built/triton.$name.hipfb"
done
