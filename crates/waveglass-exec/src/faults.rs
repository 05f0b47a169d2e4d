//! Memory violations of a run, gathered by the instruction that met them.
//!
//! A faulty instruction usually faults in many lanes, waves and workgroups. A [`FaultSite`] counts them all
//! and keeps the details of the first, so that what a run keeps is bounded by its program, and no
//! instruction's faults hide another's.
//!
//! Each wave has its own [`FaultSites`]; they are added up when its workgroup ends.

use crate::error::WaveFault;
use crate::program::Op;
use crate::wave::Wave;
use std::cmp::{Reverse, max_by_key, min_by_key};
use std::collections::BTreeMap;
use waveglass_isa::Inst;
use waveglass_mem::{Access, Fault, FaultKind, Nearest, Side, Space};

/// Regions that a site names; what misses others is counted.
const REGIONS: usize = 8;

/// The memory violations of one kind that one instruction has met in a run.
#[derive(Clone, Debug)]
pub struct FaultSite {
    /// The instruction's address.
    pub address: u64,
    /// The instruction.
    pub inst: Option<Inst>,
    /// Its mnemonic.
    pub mnemonic: &'static str,
    /// What was wrong.
    pub kind: FaultKind,
    /// What the lanes were doing.
    pub access: Access,
    /// The space that they did it in.
    pub space: Space,
    /// How many accesses of lanes were violations.
    pub count: u64,
    /// How many workgroups met them.
    pub group_count: u64,
    /// The first of those workgroups, in the order of their ids, and the last.
    pub groups: [[u32; 3]; 2],
    /// How many waves met them.
    pub wave_count: u64,
    /// Those waves' positions in their workgroups, a bit each.
    pub waves: u64,
    /// The lanes, a bit each.
    pub lanes: u64,
    /// The lowest address and the highest; offsets in scratch are ordered as signed ones.
    pub addresses: [u64; 2],
    /// The regions that were missed, the most missed first: the first 8 that the run met.
    pub regions: Vec<MissedRegion>,
    /// Violations beside further regions.
    pub elsewhere: u64,
    /// The first violations in detail: in the order of workgroups and waves.
    pub details: Vec<WaveFault>,
    /// Its place among the sites: the first workgroup, the instructions that its wave had executed, the wave.
    first: ([u32; 3], u64, u32),
}

/// A region that accesses lie beside, or whose rights they lack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedRegion {
    /// The region, with the distance of the access that comes nearest to it.
    pub nearest: Nearest,
    /// The distance of the access that is farthest from it.
    pub farthest: u64,
    /// How many accesses lie on that side of it.
    pub count: u64,
}

impl MissedRegion {
    fn is(&self, base: u64, side: Side) -> bool {
        self.nearest.base == base && self.nearest.side == side
    }

    fn add(&mut self, other: &Self) {
        if other.nearest.distance < self.nearest.distance {
            self.nearest = other.nearest.clone();
        }
        self.farthest = self.farthest.max(other.farthest);
        self.count += other.count;
    }
}

/// A workgroup's place in the order of ids: dimension 0 counts fastest.
fn in_order([x, y, z]: [u32; 3]) -> [u32; 3] {
    [z, y, x]
}

/// Violations of one key share a site.
type Key = (u64, FaultKind, Access, Space);

impl FaultSite {
    fn key(&self) -> Key {
        (self.address, self.kind, self.access, self.space)
    }

    /// Adds what another wave's site has; `same_group` says that both are of one workgroup. At most
    /// `limit` details are kept.
    fn add(&mut self, mut other: Self, same_group: bool, limit: usize) {
        self.count += other.count;
        self.group_count = match same_group {
            true => self.group_count.max(other.group_count),
            false => self.group_count + other.group_count,
        };
        let [first, last] = other.groups;
        self.groups = [
            min_by_key(self.groups[0], first, |g| in_order(*g)),
            max_by_key(self.groups[1], last, |g| in_order(*g)),
        ];
        self.wave_count += other.wave_count;
        self.waves |= other.waves;
        self.lanes |= other.lanes;
        self.first = self.first.min(other.first);
        for address in other.addresses {
            self.reach(address);
        }
        for region in &other.regions {
            self.miss(region);
        }
        self.elsewhere += other.elsewhere;
        if !other.details.is_empty() {
            self.details.append(&mut other.details);
            self.details.sort_by_key(|f| (in_order(f.group), f.wave));
            self.details.truncate(limit);
        }
    }

    fn reach(&mut self, address: u64) {
        let signed = self.space == Space::Scratch && self.kind == FaultKind::ScratchRange;
        let order = |a: u64| match signed {
            true => i128::from(a as i64),
            false => i128::from(a),
        };
        let [low, high] = &mut self.addresses;
        if order(address) < order(*low) {
            *low = address;
        }
        if order(address) > order(*high) {
            *high = address;
        }
    }

    fn miss(&mut self, region: &MissedRegion) {
        let (base, side) = (region.nearest.base, region.nearest.side);
        if let Some(known) = self.regions.iter_mut().find(|r| r.is(base, side)) {
            known.add(region);
        } else if self.regions.len() < REGIONS {
            self.regions.push(region.clone());
        } else {
            self.elsewhere += region.count;
        }
    }
}

/// The violations of a wave, a workgroup or a run.
#[derive(Clone, Debug, Default)]
pub struct FaultSites(BTreeMap<Key, FaultSite>);

impl FaultSites {
    /// Counts a violation that a wave has met at `op`, the `clock`th instruction that it has executed; says
    /// how many of its site came before.
    pub(crate) fn record(
        &mut self,
        op: &Op,
        group: [u32; 3],
        wave: u32,
        clock: u64,
        fault: &Fault,
    ) -> u64 {
        let key = (op.address, fault.kind, fault.access, fault.space);
        let site = self.0.entry(key).or_insert_with(|| FaultSite {
            address: op.address,
            inst: op.inst,
            mnemonic: op.mnemonic(),
            kind: fault.kind,
            access: fault.access,
            space: fault.space,
            count: 0,
            group_count: 1,
            groups: [group; 2],
            wave_count: 1,
            waves: 1 << wave.min(63),
            lanes: 0,
            addresses: [fault.address; 2],
            regions: Vec::new(),
            elsewhere: 0,
            details: Vec::new(),
            first: (in_order(group), clock, wave),
        });
        let before = site.count;
        site.count += 1;
        site.lanes |= 1 << (fault.lane & 63);
        site.reach(fault.address);
        if let Some(nearest) = fault.region() {
            site.miss(&MissedRegion {
                farthest: nearest.distance,
                nearest,
                count: 1,
            });
        }
        before
    }

    /// Takes a wave's violations, which belong to the workgroup that these are of.
    pub(crate) fn take_wave(&mut self, wave: &mut Wave, limit: usize) {
        if wave.fault_sites.0.is_empty() {
            return;
        }
        for fault in wave.faults.drain(..) {
            let f = &fault.fault;
            let key = (fault.address, f.kind, f.access, f.space);
            if let Some(site) = wave.fault_sites.0.get_mut(&key) {
                site.details.push(fault);
            }
        }
        self.absorb(std::mem::take(&mut wave.fault_sites), true, limit);
    }

    /// Takes the violations of another workgroup, or of other workgroups.
    pub(crate) fn take_groups(&mut self, other: Self, limit: usize) {
        self.absorb(other, false, limit);
    }

    fn absorb(&mut self, other: Self, same_group: bool, limit: usize) {
        for (key, site) in other.0 {
            match self.0.get_mut(&key) {
                Some(known) => known.add(site, same_group, limit),
                None => {
                    self.0.insert(site.key(), site);
                }
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The sites, the one that was met first in the first.
    pub(crate) fn into_sites(self) -> Vec<FaultSite> {
        let mut sites: Vec<FaultSite> = self.0.into_values().collect();
        for site in &mut sites {
            let rank = |r: &MissedRegion| (Reverse(r.count), r.nearest.base, r.nearest.side);
            site.regions.sort_by_key(rank);
        }
        sites.sort_by_key(|s| s.first);
        sites
    }
}

#[cfg(test)]
#[path = "faults_tests.rs"]
mod tests;
