//! `waveglass demo`: an embedded kernel on an embedded input.

use std::fmt::Write as _;

use anyhow::{Context, anyhow, ensure};
use waveglass::{Arg, Module};

use crate::cli::DemoArgs;
use crate::failure::{FINDING, Failure};
use crate::output;
use crate::run::{Array, Statistics};

/// `y[i] = fma(alpha, x[i], y[i])`, compiled by clang 22 from tests/kernels/linear.hip.
const CODE: &[u8] = include_bytes!("../../../../../tests/kernels/built/linear.O3.hipfb");
const X: &[u8] = include_bytes!("../../../demo/x.npy");
const Y: &[u8] = include_bytes!("../../../demo/y.npy");
const ALPHA: f32 = 2.5;

pub(crate) fn main(args: &DemoArgs) -> Result<(), Failure> {
    let module = Module::load(CODE, Some(args.target.name()))
        .with_context(|| format!("the embedded kernel for {}", args.target))?;
    let (x, y) = (Array::from_npy(X)?, Array::from_npy(Y)?);
    let n = x.shape.iter().product::<u64>() as u32;
    let block = 128;
    let report = module
        .launch(Some("saxpy"))
        .context("the embedded kernel")?
        .block([block, 1, 1])
        .grid([n.div_ceil(block), 1, 1])
        .arg(Arg::Value(n.to_le_bytes().to_vec()))
        .arg(Arg::Value(ALPHA.to_le_bytes().to_vec()))
        .arg(Arg::Buffer(x.bytes.clone()))
        .arg(Arg::Buffer(y.bytes.clone()))
        .run()
        .context("the embedded kernel")?;
    if let Some(e) = &report.error {
        return Err(Failure::new(FINDING, anyhow!("the embedded kernel: {e}")));
    }
    let got = floats(report.buffers.last().map_or(&[][..], Vec::as_slice));
    let (x, y) = (floats(&x.bytes), floats(&y.bytes));
    ensure_equal(&got, &x, &y)?;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "saxpy for {} ({}): y = {ALPHA} * x + y over {n} floats, one work-item each",
        args.target,
        args.target.generation()
    );
    let row = |v: &[f32]| {
        v.iter()
            .take(8)
            .map(|f| format!("{f:>9}"))
            .collect::<String>()
    };
    let _ = writeln!(out, "  x      {} ...", row(&x));
    let _ = writeln!(out, "  y      {} ...", row(&y));
    let _ = writeln!(out, "  result {} ...", row(&got));
    let _ = writeln!(
        out,
        "all {n} results equal the same computation on this machine\n"
    );
    Statistics::of(&report).text(&mut out);
    let file = "tests/kernels/built/linear.O3.hipfb";
    let _ = writeln!(
        out,
        "\nTo try next, from the root of the repository:\n  \
         waveglass demo --target gfx1201\n  \
         waveglass dis {file} --target gfx90a --kernel saxpy\n  \
         waveglass run {file} --target gfx1100 --kernel vector_add --grid 4 --block 64 \\\n      \
         --arg iota:f32:256 --arg fill:f32:256:0.5 --arg zeros:f32:256 --arg 250 --print 2:8 --stats\n  \
         waveglass decode 02050602 --target gfx900"
    );
    output::write(&out)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

fn ensure_equal(got: &[f32], x: &[f32], y: &[f32]) -> Result<(), Failure> {
    let check = || {
        ensure!(
            got.len() == y.len(),
            "{} results for {} elements",
            got.len(),
            y.len()
        );
        for (i, ((g, x), y)) in got.iter().zip(x).zip(y).enumerate() {
            let want = ALPHA.mul_add(*x, *y);
            ensure!(
                g.to_bits() == want.to_bits(),
                "element {i} is {g}, the host computes {want}"
            );
        }
        Ok(())
    };
    check().map_err(|e| Failure::new(FINDING, e))
}
