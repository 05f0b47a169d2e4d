"""Triton kernels as assembly text and code objects: `python3 make.py DIRECTORY` writes
NAME.TARGET.s and NAME.TARGET.hsaco. It needs the `triton` package alone, no GPU."""

import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(out, x, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    v = tl.load(x + row * width + column, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * width + column, e / tl.sum(e, 0), mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    sums = tl.zeros([M, N], tl.float32)
    for first in range(0, k, K):
        at = first + inner
        left = tl.load(a + row[:, None] * k + at[None, :])
        right = tl.load(b + at[:, None] * n + column[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + row[:, None] * n + column[None, :], sums)


KERNELS = {
    "softmax": (softmax, {"out": "*fp32", "x": "*fp32", "width": "i32"}, {"BLOCK": 1024}),
    "matmul": (
        matmul,
        {"a": "*fp16", "b": "*fp16", "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"},
        {"M": 32, "N": 32, "K": 32},
    ),
}
TARGETS = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32, "gfx1250": 32}

for name, (kernel, signature, constants) in KERNELS.items():
    attributes = {
        (i,): [["tt.divisibility", 16]]
        for i, (argument, kind) in enumerate(signature.items())
        if kind.startswith("*") or argument in ("m", "n", "k")
    }
    for target, lanes in TARGETS.items():
        source = ASTSource(kernel, signature, constants, attributes)
        built = triton.compile(source, target=GPUTarget("hip", target, lanes), options={"num_warps": 4})
        with open(f"{sys.argv[1]}/{name}.{target}.s", "w") as file:
            file.write(built.asm["amdgcn"])
        with open(f"{sys.argv[1]}/{name}.{target}.hsaco", "wb") as file:
            file.write(built.asm["hsaco"])
        print(name, target, len(built.asm["amdgcn"].splitlines()), "lines")
