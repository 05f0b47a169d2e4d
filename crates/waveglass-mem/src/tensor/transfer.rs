//! The move of a tile, line by line.

use super::TensorDescriptor;
use crate::access::Port;
use crate::fault::{Access, FaultKind, Space};
use crate::flat::Apertures;
use crate::global::GlobalMemory;
use crate::lds::Lds;

/// Bytes that a tensor instruction moved on each side; what was filled with zeros is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TensorBytes {
    /// In global memory.
    pub global: u64,
    /// In LDS.
    pub lds: u64,
}

/// Work, in bytes, after which a move asks whether it is to go on.
const PACE: u64 = 1 << 20;

/// What a line costs besides its bytes.
const LINE_WORK: u64 = 256;

/// Asks now and then whether a move is to go on: a descriptor may stand for any amount of work.
struct Pace<'a> {
    go_on: &'a mut dyn FnMut() -> bool,
    left: u64,
}

impl Pace<'_> {
    /// Takes a line's bytes into account; gives whether to go on.
    fn line(&mut self, bytes: u64) -> bool {
        let work = bytes + LINE_WORK;
        match self.left.checked_sub(work) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = PACE;
                (self.go_on)()
            }
        }
    }
}

/// A line of a tile: elements that follow each other in memory.
struct Line {
    address: u64,
    /// Bytes within the tensor; the others of the line lie past it.
    valid: usize,
}

/// What is told once for a whole tensor instruction (10.11.6).
struct Report<'a> {
    apertures: &'a Apertures,
    access: Access,
    global: bool,
    lds: bool,
}

impl TensorDescriptor {
    /// Moves the tile to LDS: elements past the tensor become zeros, gaps keep what they hold.
    ///
    /// A violation is recorded once for memory and once for LDS; the rest of the tile moves (10.11.6).
    ///
    /// `go_on` is asked at the start and after each some thousand lines; where it says no, the move ends, and there
    /// is no result.
    pub fn load(
        &self,
        memory: &GlobalMemory,
        lds: &mut Lds,
        apertures: &Apertures,
        port: &mut Port,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<TensorBytes> {
        let mut moved = TensorBytes::default();
        let mut pace = Pace { go_on, left: 0 };
        let mut report = Report::new(apertures, Access::Load);
        let bytes = usize::from(self.tile[0]) * self.element_bytes as usize;
        if bytes == 0 {
            return Some(moved);
        }
        let mut data = vec![0; bytes];
        for (global, start) in self.starts() {
            // Bytes of the tile that are behind.
            let mut written = 0;
            for index in 0..self.line_count() {
                if !pace.line(bytes as u64) {
                    return None;
                }
                let line = self.line(global, index);
                let (inside, outside) = data.split_at_mut(line.valid);
                outside.fill(0);
                self.read(memory, line.address, inside, &mut report, port);
                moved.global += line.valid as u64;
                let fits = self.put(lds, start, written, &data, &mut report, port);
                moved.lds += fits as u64;
                // LDS addresses ascend: what follows does not fit either.
                if fits < bytes {
                    break;
                }
                written += bytes as u64;
            }
        }
        Some(moved)
    }

    /// Moves the tile from LDS to memory: elements past the tensor are dropped, padding is ignored.
    ///
    /// A violation is recorded once for memory and once for LDS; the rest of the tile moves (10.11.6). `go_on` is
    /// as for [`TensorDescriptor::load`].
    pub fn store(
        &self,
        memory: &GlobalMemory,
        lds: &Lds,
        apertures: &Apertures,
        port: &mut Port,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<TensorBytes> {
        let mut moved = TensorBytes::default();
        let mut pace = Pace { go_on, left: 0 };
        let mut report = Report::new(apertures, Access::Store);
        let bytes = u64::from(self.tile[0]) * u64::from(self.element_bytes);
        if bytes == 0 {
            return Some(moved);
        }
        let limit = u64::from(lds.limit(port));
        for (global, start) in self.starts() {
            for index in 0..self.valid_lines() {
                if !pace.line(bytes) {
                    return None;
                }
                let at = start + index * bytes;
                let line = self.line(global, index);
                let fits = whole(
                    limit.saturating_sub(at).min(line.valid as u64),
                    self.element_bytes,
                );
                if fits < line.valid as u64 {
                    report.lds_range(at + fits, self.element_bytes, limit, port);
                }
                if at >= limit {
                    break;
                }
                let from = &lds.bytes()[at as usize..][..fits as usize];
                self.write(memory, line.address, from, &mut report, port);
                moved.global += fits;
                moved.lds += fits;
            }
        }
        Some(moved)
    }

    /// The global and the LDS address at which each iteration starts. LDS addresses do not wrap: one near
    /// 2^32 is past every allocation, and so is what follows it.
    fn starts(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let size = u64::from(self.element_bytes);
        let (global, lds) = (self.global_address, u64::from(self.lds_address));
        let (count, by_global, by_lds) = self.iteration.map_or((1, 0, 0), |i| {
            (i.count, i.global_increment, u64::from(i.lds_increment))
        });
        (0..u64::from(count)).map(move |n| {
            (
                global.wrapping_add(size.wrapping_mul(n.wrapping_mul(by_global))),
                lds + size * n * by_lds,
            )
        })
    }

    /// Elements of the tile along the dimensions past the innermost, those that are not used as 1.
    fn outer(&self) -> [u64; 4] {
        std::array::from_fn(|k| u64::from(self.tile[k + 1].max(1)))
    }

    fn line_count(&self) -> u64 {
        match &self.rows {
            Some(rows) => rows.len() as u64,
            None => self.outer().iter().product(),
        }
    }

    /// How many lines there are up to the last that is within the tensor.
    fn valid_lines(&self) -> u64 {
        if let Some(rows) = &self.rows {
            return rows.len() as u64;
        }
        let (mut last, mut step) = (0, 1);
        for (k, size) in self.outer().into_iter().enumerate() {
            if self.tile[k + 1] != 0 {
                match size.min(self.tensor[k + 1].into()).checked_sub(1) {
                    Some(n) => last += n * step,
                    None => return 0,
                }
            }
            step *= size;
        }
        last + 1
    }

    /// The line with this number of a tile at `global`.
    fn line(&self, global: u64, index: u64) -> Line {
        let (mut elements, mut inside) = (0u64, true);
        if let Some(rows) = &self.rows {
            let row = rows[index as usize];
            elements = u64::from(row).wrapping_mul(self.strides[0]);
            inside = row < self.tensor[1];
        } else {
            let mut rest = index;
            for (k, size) in self.outer().into_iter().enumerate() {
                let at = rest % size;
                rest /= size;
                elements = elements.wrapping_add(at.wrapping_mul(self.strides[k]));
                inside &= self.tile[k + 1] == 0 || at < u64::from(self.tensor[k + 1]);
            }
        }
        let count = u32::from(self.tile[0]).min(self.tensor[0]);
        Line {
            address: global.wrapping_add(elements.wrapping_mul(self.element_bytes.into())),
            valid: if inside {
                count as usize * self.element_bytes as usize
            } else {
                0
            },
        }
    }

    /// Writes a line to LDS, `written` bytes of the tile after its start; gives how many bytes fit.
    fn put(
        &self,
        lds: &mut Lds,
        start: u64,
        written: u64,
        data: &[u8],
        report: &mut Report<'_>,
        port: &mut Port,
    ) -> usize {
        let limit = u64::from(lds.limit(port));
        let (interval, amount) = self
            .padding
            .map_or((u64::MAX, 0), |p| (p.interval.into(), p.amount.into()));
        let mut done = 0;
        while done < data.len() {
            let stream = written + done as u64;
            let at = start + stream + stream / interval * amount;
            let want = (interval - stream % interval).min((data.len() - done) as u64);
            let fits = whole(limit.saturating_sub(at).min(want), self.element_bytes);
            if fits > 0 {
                let from = &data[done..][..fits as usize];
                lds.bytes_mut()[at as usize..][..fits as usize].copy_from_slice(from);
            }
            done += fits as usize;
            if fits < want {
                report.lds_range(at + fits, self.element_bytes, limit, port);
                break;
            }
        }
        done
    }

    /// Reads a line from memory; elements that cannot be read are zeros.
    fn read(
        &self,
        memory: &GlobalMemory,
        address: u64,
        out: &mut [u8],
        report: &mut Report<'_>,
        port: &mut Port,
    ) {
        let bytes = out.len() as u64;
        if report.is_global(address, bytes, port) && memory.load_bytes(address, out, port) {
            return;
        }
        let size = self.element_bytes as usize;
        for (i, element) in out.chunks_exact_mut(size).enumerate() {
            let at = address.wrapping_add((i * size) as u64);
            if !(report.is_global(at, size as u64, port) && memory.load_bytes(at, element, port)) {
                element.fill(0);
                report.global(memory, at, self.element_bytes, port);
            }
        }
    }

    /// Writes a line to memory; elements that cannot be written are dropped.
    fn write(
        &self,
        memory: &GlobalMemory,
        address: u64,
        data: &[u8],
        report: &mut Report<'_>,
        port: &mut Port,
    ) {
        let bytes = data.len() as u64;
        if report.is_global(address, bytes, port) && memory.store_bytes(address, data, port) {
            return;
        }
        let size = self.element_bytes as usize;
        for (i, element) in data.chunks_exact(size).enumerate() {
            let at = address.wrapping_add((i * size) as u64);
            if !(report.is_global(at, size as u64, port) && memory.store_bytes(at, element, port)) {
                report.global(memory, at, self.element_bytes, port);
            }
        }
    }
}

/// So many of `bytes` as are whole elements.
fn whole(bytes: u64, element: u32) -> u64 {
    bytes & !(u64::from(element) - 1)
}

impl<'a> Report<'a> {
    fn new(apertures: &'a Apertures, access: Access) -> Self {
        Self {
            apertures,
            access,
            global: false,
            lds: false,
        }
    }

    /// What keeps an address from being global (10.11.6: "scratch, LDS or hole").
    fn aperture(&self, address: u64, port: &Port) -> Option<FaultKind> {
        let generation = port.rules.generation;
        if self.apertures.is_lds(address) {
            Some(FaultKind::LdsAperture)
        } else if self.apertures.is_scratch(generation, address)
            || Apertures::is_hole(generation, address)
        {
            Some(FaultKind::Hole)
        } else {
            None
        }
    }

    fn is_global(&self, address: u64, bytes: u64, port: &Port) -> bool {
        let last = address.wrapping_add(bytes.saturating_sub(1));
        self.aperture(address, port).is_none() && self.aperture(last, port).is_none()
    }

    #[cold]
    fn global(&mut self, memory: &GlobalMemory, address: u64, bytes: u32, port: &mut Port) {
        if std::mem::replace(&mut self.global, true) {
            return;
        }
        match self.aperture(address, port) {
            Some(kind) => {
                port.fault(kind, self.access, Space::Global, 0, address, bytes, None);
            }
            None => memory.miss(self.access, Space::Global, 0, address, bytes, port),
        }
    }

    #[cold]
    fn lds_range(&mut self, address: u64, bytes: u32, limit: u64, port: &mut Port) {
        if port.rules.report_lds_range && !std::mem::replace(&mut self.lds, true) {
            let kind = FaultKind::LdsRange;
            port.fault(
                kind,
                self.access,
                Space::Lds,
                0,
                address,
                bytes,
                Some(limit),
            );
        }
    }
}
