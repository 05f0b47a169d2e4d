//! Arrivals at barriers in LDS (CDNA 5 ISA 11.2.2): a 64-bit structure of a pending count, a phase and the
//! count to start again with. How wide the count is, is a setting
//! ([`Rules::lds_barrier_width`](waveglass_mem::Rules::lds_barrier_width)).

use super::atomics::put_before;
use super::ds::{addressed, addresses};
use super::gds::bind;
use super::{active, done, span, vgpr, with_destination};
use crate::machine::Machine;
use crate::program::{Compile, Op, Step};
use crate::semantics::{Registry, Semantics, refuse};
use crate::wave::ROW_LANES;
use waveglass_isa::Field;
use waveglass_mem::{Atomic, AtomicOp, AtomicRules, AtomicWidth, Lanes, Row};

pub(super) fn register(r: &mut Registry) {
    r.insert(
        "ds_atomic_barrier_arrive_rtn_b64",
        Semantics::Custom(|c| bind(c, arrive_and_return(c))),
    );
    r.insert(
        "ds_atomic_async_barrier_arrive_b64",
        Semantics::Custom(|c| bind(c, arrive_async(c))),
    );
}

fn arrive_and_return(c: &Compile<'_>) -> Op {
    let base = match addressed(c, run) {
        Ok(op) => op,
        Err(why) => return refuse(c, why),
    };
    with_destination(c, Field::Vdst, run, |op| {
        op.target = base.target;
        op.mem = base.mem;
        op.mem.width = AtomicWidth::B64;
        op.mem.returns = true;
        vgpr(c, Field::Data0).map(|d| op.d2 = d).is_some()
    })
}

/// After the wave's asynchronous loads, which are complete or, where operations are kept in flight, stay
/// in order with it.
fn arrive_async(c: &Compile<'_>) -> Op {
    match addressed(c, run) {
        Ok(op) => op,
        Err(why) => refuse(c, why),
    }
}

fn run(m: &mut Machine<'_>, op: &Op) -> Step {
    let (rows, exec) = (m.wave.rows, active(m));
    let at = addresses(m, op, op.mem.offset);
    let lanes = Lanes::new(&at.0[..rows * ROW_LANES], exec);
    m.stats.read.lds += exec.count_ones() as u64 * 8;
    m.stats.written.lds += exec.count_ones() as u64 * 8;
    let one = [[1; ROW_LANES]; 4];
    let data: &[Row] = if op.mem.returns {
        &m.wave.vgpr[span(rows, op.d2, 2)]
    } else {
        &one[..2 * rows]
    };
    let atomic = Atomic {
        op: AtomicOp::BarrierArrive(m.port.rules.lds_barrier_width),
        width: AtomicWidth::B64,
        data,
        second: &[],
        rules: AtomicRules::integer(m.port.rules.generation),
    };
    if op.mem.returns {
        let mut before = [[0; ROW_LANES]; 4];
        m.lds.atomic(lanes, atomic, Some(&mut before), m.port);
        put_before(m, op, &before, exec);
    } else {
        m.lds.atomic(lanes, atomic, None, m.port);
    }
    done(m, op)
}

#[cfg(test)]
mod tests {
    use crate::testing::Bench;
    use waveglass_isa::Target;

    // rule: each active lane arrives, lowest first, and a returning arrival gives the barrier as it was;
    // section CDNA 5 ISA 11.2.2.
    // points: 12
    // claims: set.barrier-width
    #[test]
    fn lanes_arrive_one_by_one() {
        let mut b = Bench::new(Target::Gfx1250, 32);
        // Two lanes arrive at a barrier at byte 24 that waits for three.
        b.lds.bytes_mut()[24..32].copy_from_slice(&(2u64 << 32 | 2).to_le_bytes());
        b.wave.set_exec(0b101);
        b.set(2, |_| 16);
        b.set(4, |_| 1);
        b.set(5, |_| 0);
        b.set(6, |_| 0xdead);
        // ds_atomic_barrier_arrive_rtn_b64 v[6:7], v2, v[4:5] offset:8
        b.run_all(&["0800d4d902040006"]);
        let at = |b: &Bench| u64::from_le_bytes(b.lds.bytes()[24..32].try_into().unwrap());
        assert_eq!(b.wave.lane(6, 0), 2);
        assert_eq!(b.wave.lane(7, 0), 2);
        assert_eq!(b.wave.lane(6, 2), 1);
        assert_eq!(b.wave.lane(6, 1), 0xdead);
        assert_eq!(at(&b), 2 << 32);
        // ds_atomic_async_barrier_arrive_b64 v2 offset:8, by one lane: the third.
        b.wave.set_exec(1);
        b.run_all(&["080058d902000000"]);
        assert_eq!(at(&b), 2 << 32 | 7 << 29 | 2);
        // A barrier is 64 bits and aligned to them.
        b.set(2, |_| 20);
        b.run_all(&["080058d902000000"]);
        assert_eq!(b.wave.faults.len(), 1);
        // With a count of 28 bits the phase has four.
        b.port.rules.lds_barrier_width = 28;
        b.lds.bytes_mut()[24..28].fill(0);
        b.set(2, |_| 24);
        b.run_all(&["000058d902000000"]);
        assert_eq!(at(&b), 2 << 32 | 15 << 28 | 2);
    }
}
