//! What a kernel finds besides its arguments: the hidden arguments and the queue.

use waveglass_mem::Apertures;
use waveglass_object::{Kernel, ValueKind};

/// What the hidden arguments say of a launch.
pub(crate) struct Hidden {
    /// Work-items of the grid.
    pub(crate) items: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_lds: u32,
    /// The address of the queue.
    pub(crate) queue: u64,
    /// Where LDS and scratch lie in the flat address space.
    pub(crate) apertures: Apertures,
}

impl Hidden {
    /// Fills in the hidden arguments that start at byte `from` or later (AMDGPUUsage, "Code Object V5
    /// Metadata", `.value_kind`).
    pub(crate) fn fill(&self, kernel: &Kernel, from: usize, kernarg: &mut [u8]) {
        let apertures = self.apertures;
        let Some(metadata) = &kernel.metadata else {
            return;
        };
        for a in metadata.args.iter().filter(|a| a.kind.is_hidden()) {
            let whole = |i: usize| (self.items[i] / self.block[i]) as u64;
            let partial = |i: usize| (self.items[i] % self.block[i]) as u64;
            let value: u64 = match a.kind {
                ValueKind::HiddenBlockCountX => whole(0),
                ValueKind::HiddenBlockCountY => whole(1),
                ValueKind::HiddenBlockCountZ => whole(2),
                ValueKind::HiddenGroupSizeX => self.block[0] as u64,
                ValueKind::HiddenGroupSizeY => self.block[1] as u64,
                ValueKind::HiddenGroupSizeZ => self.block[2] as u64,
                ValueKind::HiddenRemainderX => partial(0),
                ValueKind::HiddenRemainderY => partial(1),
                ValueKind::HiddenRemainderZ => partial(2),
                ValueKind::HiddenGridDims => 3,
                ValueKind::HiddenDynamicLdsSize => self.dynamic_lds as u64,
                ValueKind::HiddenPrivateBase => apertures.private_base() >> 32,
                ValueKind::HiddenSharedBase => apertures.shared_base() >> 32,
                ValueKind::HiddenQueuePtr => self.queue,
                // Global offsets are zero; there is no host to call, no heap, no printf buffer.
                _ => 0,
            };
            let (offset, size) = (a.offset as usize, (a.size as usize).min(8));
            if offset < from {
                continue;
            }
            if let Some(slot) = kernarg.get_mut(offset..offset + size) {
                slot.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }
}

/// `amd_queue_t`, as far as kernels read it: the apertures' high halves at bytes 64 and 68.
pub(crate) fn queue_bytes(apertures: Apertures) -> [u8; 256] {
    let mut b = [0; 256];
    b[64..68].copy_from_slice(&((apertures.shared_base() >> 32) as u32).to_le_bytes());
    b[68..72].copy_from_slice(&((apertures.private_base() >> 32) as u32).to_le_bytes());
    b
}
