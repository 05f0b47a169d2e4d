//! What a launch needs to know of a kernel, from its descriptor.

use super::{DYNAMIC_STACK, LaunchError, Module};
use waveglass_exec::{Exceptions, Registers, Setup};
use waveglass_isa::Target;
use waveglass_object::{Kernel, KernelDescriptor, WorkItemIdVgprs};

/// What the launch needs to know of a kernel.
pub(crate) struct Shape<'a> {
    pub(crate) kernel: Option<&'a Kernel>,
    pub(crate) setup: Setup,
    pub(crate) wave_size: u32,
    pub(crate) vgprs: u32,
    pub(crate) agprs: u32,
    pub(crate) entry: u64,
    pub(crate) descriptor_address: u64,
    pub(crate) private_segment: u32,
    pub(crate) group_segment: u32,
    pub(crate) kernarg_size: usize,
}

impl<'a> Shape<'a> {
    pub(crate) fn of(module: &'a Module, name: &str) -> Result<Self, LaunchError> {
        let super::Contents::Object(object) = &module.code else {
            return Ok(Self::raw(module.target, module.wave_size));
        };
        let kernel = object
            .kernel(name)
            .ok_or_else(|| LaunchError::Bad(format!("there is no kernel {name:?}")))?;
        let d = &kernel.descriptor;
        let Registers { vgprs, agprs } = registers(d, module.target);
        let dynamic = kernel
            .metadata
            .as_ref()
            .is_some_and(|m| m.uses_dynamic_stack)
            || d.uses_dynamic_stack();
        let extra = if dynamic { DYNAMIC_STACK } else { 0 };
        let mut entry = kernel.entry;
        if d.kernarg_preload_length() > 0 && !module.target.has_gfx1250_insts() {
            // The first 256 bytes load the arguments on firmware that does not preload; compilers
            // write no such prologue for gfx1250.
            entry += 256;
        }
        Ok(Self {
            kernel: Some(kernel),
            setup: setup(d, module.target),
            wave_size: d.wavefront_size(),
            vgprs,
            agprs,
            entry,
            descriptor_address: kernel.descriptor_address,
            private_segment: d.private_segment_fixed_size.saturating_add(extra),
            group_segment: d.group_segment_fixed_size,
            kernarg_size: kernel
                .metadata
                .as_ref()
                .map_or(0, |m| m.kernarg_segment_size)
                .max(d.kernarg_size) as usize,
        })
    }

    fn raw(target: Target, wave_size: u32) -> Self {
        Self {
            kernel: None,
            setup: Setup {
                kernarg_ptr: true,
                user_sgprs: 2,
                group_id: [true; 3],
                item_id: 3,
                float_mode: 0xf0,
                dx10_clamp: true,
                ieee: target.major() < 12,
                ..Setup::default()
            },
            wave_size,
            vgprs: 256,
            agprs: if target.is_gfx9() && target >= Target::Gfx908 {
                256
            } else {
                0
            },
            entry: 0,
            descriptor_address: 0,
            private_segment: 0,
            group_segment: 64 << 10,
            kernarg_size: 0,
        }
    }
}

/// The registers that a descriptor gives a wave.
pub(crate) fn registers(d: &KernelDescriptor, target: Target) -> Registers {
    let total = d.vgpr_count();
    let (vgprs, agprs) = match d.accum_offset() {
        Some(first) => (first.min(total), total.saturating_sub(first)),
        // gfx908 gives as many AGPRs as VGPRs.
        None if target == Target::Gfx908 => (total, total),
        None => (total, 0),
    };
    Registers { vgprs, agprs }
}

/// The state that a descriptor asks for.
pub(crate) fn setup(d: &KernelDescriptor, target: Target) -> Setup {
    Setup {
        private_segment_buffer: d.enable_sgpr_private_segment_buffer(),
        dispatch_ptr: d.enable_sgpr_dispatch_ptr(),
        queue_ptr: d.enable_sgpr_queue_ptr(),
        kernarg_ptr: d.enable_sgpr_kernarg_segment_ptr(),
        dispatch_id: d.enable_sgpr_dispatch_id(),
        flat_scratch_init: d.enable_sgpr_flat_scratch_init(),
        private_segment_size: d.enable_sgpr_private_segment_size(),
        preload_length: d.kernarg_preload_length(),
        preload_offset: d.kernarg_preload_offset(),
        user_sgprs: d.user_sgpr_count(),
        group_id: [
            d.enable_workgroup_id_x(),
            d.enable_workgroup_id_y(),
            d.enable_workgroup_id_z(),
        ],
        group_info: d.enable_workgroup_info(),
        private_segment: d.enable_private_segment(),
        item_id: match d.workitem_id() {
            WorkItemIdVgprs::X => 1,
            WorkItemIdVgprs::Xy => 2,
            _ => 3,
        },
        float_mode: d.float_mode(),
        dx10_clamp: target.major() < 12 && d.dx10_clamp(),
        ieee: target.major() < 12 && d.ieee_mode(),
        fp16_overflow: d.fp16_overflow(),
        named_barriers: d.named_barrier_count().unwrap_or(0),
        exceptions: {
            let memory = match d.exception_memory() {
                true => Exceptions::MEMORY_VIOLATION,
                false => Exceptions::NONE,
            };
            Exceptions(d.exceptions()) | memory
        },
        ..Setup::default()
    }
}
