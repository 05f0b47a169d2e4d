//! Which operations become host instructions, and which.

mod scalar;
mod share;
mod steps;
mod table;
mod vector;

pub(super) use scalar::{Arithmetic, Lane, Scalar, When};
pub(super) use share::Share;
pub(super) use steps::{Step, V};
pub(super) use vector::{Extend, Finish, Recipe, Source, Vector};

use crate::program::{Op, Src};
use crate::valu::Ty;
use crate::wave::sreg;
use scalar::{branch, lane, permlane, scalar};
use share::share;
use vector::vector;

/// A choice of lanes within rows of sixteen by the nibbles of two scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Permlane {
    pub(super) from: u32,
    pub(super) d: u32,
    pub(super) selects: [Src; 2],
    /// Each row reads its neighbour.
    pub(super) crossed: bool,
    pub(super) fetch_inactive: bool,
    pub(super) bound_ctrl: bool,
}

/// An operation that has a translation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Work {
    Vector(Box<Vector>),
    /// Two that read their sources before either writes.
    Both(Box<[Vector; 2]>),
    Permlane(Permlane),
    Share(Share),
    Scalar(Scalar),
    /// A lane of a vector register, to a scalar one.
    ReadLane {
        d: u8,
        from: u32,
        lane: Lane,
    },
    /// A scalar, to a lane of a vector register.
    WriteLane {
        d: u32,
        from: Src,
        lane: Src,
    },
    /// A branch, with which a fragment ends.
    Branch(When),
}

impl Work {
    /// Whether a fragment ends with it: it branches, or changes EXEC.
    pub(super) fn ends(&self) -> bool {
        match self {
            Work::Branch(_) => true,
            Work::Vector(v) => v.changes_exec,
            Work::Scalar(s) => {
                let saves = matches!(s.arithmetic, Arithmetic::SaveExec(..));
                saves || !s.only_compares() && usize::from(s.d) >= sreg::EXEC_LO
            }
            _ => false,
        }
    }

    /// What an op does, if it has a translation.
    pub(super) fn of(op: &Op) -> Option<Self> {
        if op.refused.is_some() {
            return None;
        }
        if let [x, y] = &*op.parts {
            if !op.mnemonic().contains(" :: ") {
                return None;
            }
            let (x, y) = (vector(x)?, vector(y)?);
            let single = !x.recipe.is_wide() && !y.recipe.is_wide();
            return (single && x.d != y.d).then(|| Work::Both(Box::new([x, y])));
        }
        if op.valu.is_some() {
            return vector(op).map(|v| Work::Vector(Box::new(v)));
        }
        let name = op.mnemonic();
        if name.starts_with("ds_") {
            return share(name, op).map(Work::Share);
        }
        permlane(name, op)
            .or_else(|| lane(name, op))
            .or_else(|| branch(name, op))
            .or_else(|| scalar(name, op).map(Work::Scalar))
    }

    /// Whether it works in the host's vector registers.
    pub(super) fn is_vector(&self) -> bool {
        matches!(
            self,
            Work::Vector(_) | Work::Both(_) | Work::Share(_) | Work::Permlane(_)
        )
    }

    /// How many vector instructions it counts as: those of a pair count each.
    pub(super) fn lane_instructions(&self) -> u64 {
        match self {
            Work::Vector(_) | Work::Share(_) => 1,
            Work::Both(_) => 2,
            _ => 0,
        }
    }

    /// Bytes of LDS that a lane loads and stores.
    pub(super) fn share_bytes(&self) -> (u64, u64) {
        match self {
            Work::Share(s) => {
                let bytes = 4 * u64::from(s.dwords) * (1 + u64::from(s.two));
                if s.stores { (0, bytes) } else { (bytes, 0) }
            }
            _ => (0, 0),
        }
    }
}

/// Whether a source is one that translated code reads: a register or a constant.
fn readable(src: Src, ty: Ty) -> bool {
    match src {
        Src::None | Src::Vgpr(_) | Src::Const(_) => true,
        // A pair that starts at NULL is no pair of registers.
        Src::Sgpr(i) => ty.dwords() == 1 || usize::from(i) != sreg::NULL && i < 127,
        _ => false,
    }
}
