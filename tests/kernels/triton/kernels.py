"""Triton kernels, compiled ahead of time: softmax, layer norm, matrix products and attention.

    python3 kernels.py DIRECTORY

writes NAME.TARGET.hsaco for each kernel and target to DIRECTORY, and to lds.txt how many bytes of LDS a launch of each
must have. It needs the `triton` package alone, no GPU and no
PyTorch. `build.sh` bundles what it writes.
"""

import os
import sys

# Same bytes for the same sources: no source lines. Fused multiply-adds are Triton's default.
os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(out, x, width, BLOCK: tl.constexpr):
    """A row a program."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < width
    v = tl.load(x + row * width + column, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * width + column, e / tl.sum(e, 0), mask=inside)


@triton.jit
def layer_norm(out, x, weight, bias, width, epsilon, BLOCK: tl.constexpr):
    """A row a program, in passes of BLOCK columns: mean, variance, result."""
    row = tl.program_id(0)
    x += row * width
    out += row * width
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        total += tl.load(x + column, mask=column < width, other=0.0)
    mean = tl.sum(total, 0) / width
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < width
        difference = tl.where(inside, tl.load(x + column, mask=inside, other=0.0) - mean, 0.0)
        total += difference * difference
    scale = 1.0 / tl.sqrt(tl.sum(total, 0) / width + epsilon)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < width
        v = (tl.load(x + column, mask=inside) - mean) * scale
        v = v * tl.load(weight + column, mask=inside) + tl.load(bias + column, mask=inside)
        tl.store(out + column, v, mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """C = A * B, all by rows, a tile of M x N a program, in steps of K."""
    row = tl.program_id(0) * M + tl.arange(0, M)
    column = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    sums = tl.zeros([M, N], tl.float32)
    for first in range(0, k, K):
        at = first + inner
        left = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + column[None, :], mask=(at[:, None] < k) & (column[None, :] < n), other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + row[:, None] * n + column[None, :], sums, mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def attention(q, k, v, out, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    """out = softmax(scale * Q K^T) V for one head a program id 1, with a running maximum and sum over blocks of keys."""
    head = tl.program_id(1) * length * D
    row = tl.program_id(0) * M + tl.arange(0, M)
    d = tl.arange(0, D)
    query = tl.load(q + head + row[:, None] * D + d[None, :], mask=row[:, None] < length, other=0.0)
    top = tl.full([M], -float("inf"), tl.float32)
    weight = tl.zeros([M], tl.float32)
    sums = tl.zeros([M, D], tl.float32)
    end = length
    if CAUSAL:
        end = tl.minimum(length, (tl.program_id(0) + 1) * M)
    for first in range(0, end, N):
        column = first + tl.arange(0, N)
        key = tl.load(k + head + column[None, :] * D + d[:, None], mask=column[None, :] < length, other=0.0)
        score = tl.dot(query, key) * scale
        seen = column[None, :] < length
        if CAUSAL:
            seen = seen & (column[None, :] <= row[:, None])
        score = tl.where(seen, score, -float("inf"))
        new_top = tl.maximum(top, tl.max(score, 1))
        p = tl.exp(score - new_top[:, None])
        fade = tl.exp(top - new_top)
        weight = weight * fade + tl.sum(p, 1)
        value = tl.load(v + head + column[:, None] * D + d[None, :], mask=column[:, None] < length, other=0.0)
        sums = tl.dot(p.to(value.dtype), value, sums * fade[:, None])
        top = new_top
    tl.store(out + head + row[:, None] * D + d[None, :], sums / weight[:, None], mask=row[:, None] < length)


def products(element):
    signature = {"a": element, "b": element, "c": "*fp32", "m": "i32", "n": "i32", "k": "i32"}
    return matmul, signature, {"M": 64, "N": 64, "K": 32}


def attentions(element, causal):
    signature = {"q": element, "k": element, "v": element, "out": "*fp32", "length": "i32", "scale": "fp32"}
    return attention, signature, {"M": 64, "N": 32, "D": 64, "CAUSAL": causal}


# What is built: the kernel, the types of its arguments, its constants.
KERNELS = {
    "softmax": (softmax, {"out": "*fp32", "x": "*fp32", "width": "i32"}, {"BLOCK": 1024}),
    "layer_norm": (
        layer_norm,
        {"out": "*fp32", "x": "*fp32", "weight": "*fp32", "bias": "*fp32", "width": "i32", "epsilon": "fp32"},
        {"BLOCK": 256},
    ),
    "matmul_f16": products("*fp16"),
    "matmul_bf16": products("*bf16"),
    "attention_f16": attentions("*fp16", False),
    "attention_causal_bf16": attentions("*bf16", True),
}
TARGETS = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32, "gfx1250": 32}


def main():
    lds = open(f"{sys.argv[1]}/lds.txt", "w")
    for name, (kernel, signature, constants) in KERNELS.items():
        # Pointers are multiples of 16, as PyTorch's are, and so are the sides of matrices.
        attributes = {
            (i,): [["tt.divisibility", 16]]
            for i, (name_of, kind) in enumerate(signature.items())
            if kind.startswith("*") or name_of in ("m", "n", "k")
        }
        for target, lanes in TARGETS.items():
            source = ASTSource(kernel, signature, constants, attributes)
            built = triton.compile(source, target=GPUTarget("hip", target, lanes), options={"num_warps": 4, "num_stages": 2})
            with open(f"{sys.argv[1]}/{name}.{target}.hsaco", "wb") as file:
                file.write(built.asm["hsaco"])
            if len(sys.argv) > 2:
                with open(f"{sys.argv[1]}/{name}.{target}.s", "w") as file:
                    file.write(built.asm["amdgcn"])
            print(name, target, built.metadata.shared, file=lds)
            print(name, target, len(built.asm["hsaco"]), "bytes, LDS", built.metadata.shared)


main()
