//! The C functions as C calls them: code objects, memory, limits, bad arguments, several threads.

mod common;

use common::{Context, error, kernels};
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use waveglass_capi::*;

struct Module(*mut waveglass_capi::Module);

impl Module {
    fn load(context: &Context, file: &str) -> Self {
        Self::from_bytes(context, &kernels(file))
    }

    fn from_bytes(context: &Context, bytes: &[u8]) -> Self {
        let mut module = null_mut();
        // SAFETY: all pointers are valid.
        let status = unsafe {
            waveglass_module_load(context.0, bytes.as_ptr().cast(), bytes.len(), &mut module)
        };
        assert_eq!(status, Status::Ok, "{}", error());
        Self(module)
    }

    fn launch(
        &self,
        context: &Context,
        kernel: &CStr,
        groups: u32,
        block: u32,
        arg: &[u8],
    ) -> Status {
        // SAFETY: all pointers are valid, and the buffers outlive the call.
        unsafe {
            waveglass_kernel_launch(
                context.0,
                self.0,
                kernel.as_ptr(),
                [groups, 1, 1].as_ptr(),
                [block, 1, 1].as_ptr(),
                arg.as_ptr().cast(),
                arg.len(),
                0,
            )
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: made by the library, and not used any more.
        unsafe { waveglass_module_destroy(self.0) };
    }
}

/// The arguments of `vector_add`.
fn vector_add(a: &[f32], b: &[f32], c: &mut [f32], n: u32) -> Vec<u8> {
    let pointers = [a.as_ptr() as u64, b.as_ptr() as u64, c.as_mut_ptr() as u64];
    let mut arg: Vec<u8> = pointers.iter().flat_map(|p| p.to_le_bytes()).collect();
    arg.extend(n.to_le_bytes());
    arg
}

fn counters(context: &Context) -> Counters {
    let mut counters = Counters::default();
    // SAFETY: valid pointers, and the structure's own size.
    let status =
        unsafe { waveglass_context_counters(context.0, &mut counters, size_of::<Counters>()) };
    assert_eq!(status, Status::Ok);
    counters
}

#[test]
fn kernels_run_on_buffers_in_place_at_any_dword() {
    for target in [
        "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201", "gfx1250",
    ] {
        let context = Context::new(target);
        let module = Module::load(&context, "linear.O3.hipfb");
        // Odd offsets: a client's arrays are aligned to their elements and no more.
        let mut memory: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        let (a, rest) = memory[1..].split_at_mut(301);
        let (b, c) = rest.split_at_mut(301);
        context.register(a, WAVEGLASS_READ_ONLY, "a");
        context.register(b, WAVEGLASS_READ_ONLY, "b");
        context.register(&mut c[..300], WAVEGLASS_READ_WRITE, "c");
        let before: Vec<f32> = c[300..].to_vec();
        let arg = vector_add(a, b, c, 300);
        assert_eq!(
            module.launch(&context, c"vector_add", 3, 128, &arg),
            Status::Ok,
            "{}",
            error()
        );
        for (i, &sum) in c[..300].iter().enumerate() {
            assert_eq!(sum, (1 + i) as f32 + (302 + i) as f32, "{target}");
        }
        assert_eq!(c[300..], before);
        let counted = counters(&context);
        assert_eq!((counted.workgroups, counted.violations), (3, 0));
        assert_eq!(counted.global_written, 300 * 4, "{target}");
        let families = counted.scalar_alu
            + counted.vector_alu
            + counted.scalar_memory
            + counted.vector_memory
            + counted.lds
            + counted.branches
            + counted.matrix
            + counted.other;
        assert_eq!(families, counted.instructions);
    }
}

#[test]
fn what_a_program_may_not_touch_it_does_not() {
    let context = Context::new("gfx1100");
    let module = Module::load(&context, "linear.O3.gfx1100.hsaco");
    let (mut a, mut b, mut c) = ([1f32; 64], [2f32; 64], [0f32; 64]);
    context.register(&mut a, WAVEGLASS_READ_ONLY, "input a");
    context.register(&mut b, WAVEGLASS_READ_ONLY, "input b");

    // Not registered at all: every store of the wave is one violation.
    let arg = vector_add(&a, &b, &mut c, 32);
    let launch = |arg: &[u8]| module.launch(&context, c"vector_add", 1, 32, arg);
    assert_eq!(launch(&arg), Status::MemoryViolation);
    assert_eq!(c, [0.0; 64]);
    assert!(
        error().ends_with("(the first of 32 violations)"),
        "{}",
        error()
    );
    assert_eq!(counters(&context).violations, 32);

    // Registered to be read.
    context.register(&mut c, WAVEGLASS_READ_ONLY, "output");
    assert_eq!(launch(&arg), Status::MemoryViolation);
    assert_eq!(c, [0.0; 64]);
    // SAFETY: all pointers are valid.
    unsafe {
        assert_eq!(waveglass_context_fault_count(context.0), 32);
        let mut fault: Fault = std::mem::zeroed();
        let get = waveglass_context_fault(context.0, 5, &mut fault, size_of::<Fault>());
        assert_eq!(get, Status::Ok);
        assert_eq!(fault.kind, FaultKind::ReadOnly);
        assert_eq!((fault.access, fault.space), (Access::Store, Space::Global));
        assert_eq!((fault.lane, fault.wave, fault.bytes), (5, 0, 4));
        assert_eq!(fault.address, c.as_ptr() as u64 + 20);
        assert_eq!(fault.nearest_start, c.as_ptr() as u64);
        assert_eq!((fault.nearest_size, fault.nearest_distance), (256, 0));
        assert_eq!(CStr::from_ptr(fault.nearest_name.as_ptr()), c"output");
        assert_eq!(CStr::from_ptr(fault.mnemonic.as_ptr()), c"global_store_b32");
        assert!(fault.code_offset < 0x10000 && fault.pc > fault.code_offset);
        let past = waveglass_context_fault(context.0, 32, &mut fault, size_of::<Fault>());
        assert_eq!(past, Status::BadArgument);

        let mut text = [1; 40];
        let length = waveglass_context_fault_text(context.0, 5, text.as_mut_ptr(), 40);
        assert!(length > 40);
        let cut = CStr::from_ptr(text.as_ptr()).to_str().unwrap();
        assert_eq!(
            cut,
            &format!("global store of 4 bytes at {:#x}", fault.address)[..39]
        );
        assert_eq!(
            waveglass_context_fault_text(context.0, 32, null_mut(), 0),
            0
        );

        // And then to be written.
        let status = waveglass_context_unregister(context.0, c.as_ptr().cast());
        assert_eq!(status, Status::Ok);
        let status = waveglass_context_unregister(context.0, c.as_ptr().cast());
        assert_eq!(status, Status::BadArgument);
    }
    context.register(&mut c[..31], WAVEGLASS_READ_WRITE, "output");
    assert_eq!(launch(&arg), Status::MemoryViolation);
    assert_eq!((c[30], c[31]), (3.0, 0.0));
    assert!(
        error().contains("; it starts right behind the end of output ["),
        "{}",
        error()
    );
}

#[test]
fn a_module_keeps_its_names_and_takes_hidden_arguments_from_the_launch() {
    let context = Context::new("gfx942");
    let module = Module::load(&context, "linear.O3.hipfb");
    // SAFETY: all pointers are valid, and names live as long as the module.
    unsafe {
        let count = waveglass_module_kernel_count(module.0);
        let names: Vec<&CStr> = (0..count)
            .map(|i| CStr::from_ptr(waveglass_module_kernel_name(module.0, i)))
            .collect();
        assert!(names.contains(&c"vector_add") && names.contains(&c"saxpy_unfused"));
        assert!(waveglass_module_kernel_name(module.0, count).is_null());
        let mut size = 0;
        let kernel = c"saxpy_unfused".as_ptr();
        let status = waveglass_module_kernarg_size(module.0, kernel, &mut size);
        // 24 bytes of its own, and hidden ones behind.
        assert!(status == Status::Ok && size > 24, "{size}");
    }
    // The grid-stride loop asks its hidden arguments for the grid's size.
    let mut x: Vec<f32> = (0..500).map(|i| i as f32).collect();
    let mut y = vec![1f32; 500];
    context.register(&mut x, WAVEGLASS_READ_ONLY, "x");
    context.register(&mut y, WAVEGLASS_READ_WRITE, "y");
    let mut arg = 500u32.to_le_bytes().to_vec();
    arg.extend(2f32.to_le_bytes());
    arg.extend((x.as_ptr() as u64).to_le_bytes());
    arg.extend((y.as_ptr() as u64).to_le_bytes());
    let status = module.launch(&context, c"saxpy_unfused", 2, 64, &arg);
    assert_eq!(status, Status::Ok, "{}", error());
    assert!(
        y.iter()
            .enumerate()
            .all(|(i, &v)| v == 2.0 * i as f32 + 1.0)
    );
}

#[test]
fn a_module_s_variables_keep_their_values_and_each_load_has_its_own() {
    let context = Context::new("gfx1100");
    let file = include_bytes!("probes/counter.gfx1100.hsaco");
    let mut out = [0u32];
    context.register(&mut out, WAVEGLASS_READ_WRITE, "out");
    let arg = (out.as_mut_ptr() as u64).to_le_bytes();
    for _ in 0..2 {
        let module = Module::from_bytes(&context, file);
        for expected in 41..44 {
            let status = module.launch(&context, c"counter", 1, 1, &arg);
            assert_eq!(status, Status::Ok, "{}", error());
            assert_eq!(std::hint::black_box(&out)[0], expected);
        }
    }
}

#[test]
fn scratch_of_compiled_kernels_works_at_host_addresses() {
    // Both kinds of scratch, and at -O0 every variable in it.
    for target in [
        "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100",
    ]
    .into_iter()
    .chain(["gfx1201", "gfx1250"])
    {
        for file in ["private_array.O0.hipfb", "private_array.O3.hipfb"] {
            let context = Context::new(target);
            let module = Module::load(&context, file);
            let mut seed = 1u32;
            let mut input: Vec<u32> = std::iter::repeat_with(|| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                seed >> 4
            })
            .take(130 * 24)
            .collect();
            let mut out = vec![0u32; 130 * 24];
            context.register(&mut input, WAVEGLASS_READ_ONLY, "in");
            context.register(&mut out, WAVEGLASS_READ_WRITE, "out");
            let pointers = [input.as_ptr() as u64, out.as_ptr() as u64];
            let arg: Vec<u8> = pointers.iter().flat_map(|p| p.to_le_bytes()).collect();
            let status = module.launch(&context, c"private_sort", 2, 65, &arg);
            assert_eq!(status, Status::Ok, "{target} {file}: {}", error());
            input.chunks_mut(24).for_each(<[u32]>::sort_unstable);
            assert!(out == input, "{target} {file}");
            assert!(counters(&context).scratch_written > 0 || file.contains("O3"));
        }
    }
}

#[test]
fn a_context_named_with_features_takes_code_for_them() {
    let file = kernels("reduce.O3.gfx90a-sramecc+-xnack-.hsaco");
    for (target, expected) in [
        ("gfx90a", Status::Ok),
        ("gfx90a:sramecc+:xnack-", Status::Ok),
        ("gfx942", Status::BadObject),
    ] {
        let context = Context::new(target);
        let mut module = std::ptr::null_mut();
        // SAFETY: all pointers are valid; a module that is none is null.
        unsafe {
            let bytes = file.as_ptr().cast();
            let status = waveglass_module_load(context.0, bytes, file.len(), &mut module);
            assert_eq!(status, expected, "{target}: {}", error());
            waveglass_module_destroy(module);
        }
    }
}

#[test]
fn bad_arguments_are_refused() {
    let context = Context::new("gfx1100");
    let module = Module::load(&context, "linear.O3.gfx1100.hsaco");
    let garbage = [7u8; 100];
    let mut out = null_mut();
    // SAFETY: null and misaligned pointers are refused, the others are valid.
    unsafe {
        assert_eq!(
            waveglass_context_create(null(), null_mut()),
            Status::BadArgument
        );
        let mut made = null_mut();
        let create = |name: &CStr, made: &mut _| waveglass_context_create(name.as_ptr(), made);
        assert_eq!(
            waveglass_context_create(null(), &mut made),
            Status::BadArgument
        );
        assert_eq!(create(c"gfx803", &mut made), Status::UnknownTarget);
        assert!(error().contains("gfx1251"));
        assert_eq!(create(c"gfx90a:turbo+", &mut made), Status::UnknownTarget);
        assert_eq!(create(c"\xff", &mut made), Status::BadArgument);
        assert!(made.is_null());

        let none: *mut waveglass_capi::Context = null_mut();
        let odd = context
            .0
            .cast::<u8>()
            .add(1)
            .cast::<waveglass_capi::Context>();
        for bad in [none, odd] {
            assert_eq!(
                waveglass_context_allow_process(bad, true),
                Status::BadArgument
            );
            assert_eq!(waveglass_context_fault_count(bad), 0);
        }
        waveglass_context_destroy(none);
        waveglass_module_destroy(null_mut());
        assert_eq!(waveglass_module_kernel_count(null()), 0);

        let load = |bytes: *const u8, size, out: &mut _| {
            waveglass_module_load(context.0, bytes.cast(), size, out)
        };
        assert_eq!(load(null(), 4, &mut out), Status::BadArgument);
        assert_eq!(load(garbage.as_ptr(), 0, &mut out), Status::BadObject);
        assert_eq!(load(garbage.as_ptr(), 100, &mut out), Status::BadObject);
        let other = kernels("linear.O3.gfx90a.hsaco");
        assert_eq!(
            load(other.as_ptr(), other.len(), &mut out),
            Status::BadObject
        );
        assert!(error().contains("gfx90a"), "{}", error());
        assert!(out.is_null());

        let start = garbage.as_ptr().cast_mut().cast::<c_void>();
        let register = |start, size, access| {
            waveglass_context_register(context.0, start, size, access, null())
        };
        assert_eq!(
            register(null_mut(), 4, WAVEGLASS_READ_ONLY),
            Status::BadArgument
        );
        assert_eq!(register(start, 0, WAVEGLASS_READ_ONLY), Status::BadArgument);
        assert_eq!(
            register(start, usize::MAX, WAVEGLASS_READ_ONLY),
            Status::BadArgument
        );
        assert_eq!(register(start, 4, 2), Status::BadArgument);
        assert_eq!(register(start, 4, WAVEGLASS_READ_ONLY), Status::Ok);
        assert_eq!(register(start, 1, WAVEGLASS_READ_ONLY), Status::BadArgument);
        assert!(error().contains("overlaps"), "{}", error());
    }
    let arg = [0; 28];
    assert_eq!(
        module.launch(&context, c"none", 1, 32, &arg),
        Status::BadArgument
    );
    assert!(error().contains("vector_add"), "{}", error());
    for (groups, block) in [(0, 32), (1, 0), (1, 1025), (u32::MAX, 64)] {
        let status = module.launch(&context, c"vector_add", groups, block, &arg);
        assert_eq!(status, Status::BadArgument, "{groups} {block}");
    }
    let other = Context::new("gfx1201");
    assert_eq!(
        module.launch(&other, c"vector_add", 1, 32, &arg),
        Status::BadArgument
    );
    assert!(error().contains("gfx1201"), "{}", error());
    // A refused launch leaves no counters of an earlier one.
    assert_eq!(counters(&other), Counters::default());
    // Null pointers as arguments are the program's own affair.
    assert_eq!(
        module.launch(&context, c"vector_add", 1, 32, &[0; 24]),
        Status::Ok
    );
    let mut arg = [0; 28];
    arg[24] = 1;
    assert_eq!(
        module.launch(&context, c"vector_add", 1, 32, &arg),
        Status::MemoryViolation
    );
}

#[test]
fn limits_hold_and_their_size_is_checked() {
    let context = Context::new("gfx1100");
    let module = Module::load(&context, "linear.O3.gfx1100.hsaco");
    let mut limits = Limits {
        size: size_of::<Limits>(),
        instructions: 5,
        nanoseconds: 0,
        threads: 1,
        faults: 3,
        stop_at_fault: 0,
        reserved: 0,
    };
    // SAFETY: valid pointers.
    let set = |limits: &Limits| unsafe { waveglass_context_set_limits(context.0, limits) };
    let launch = || {
        let mut arg = [0; 28];
        arg[24] = 32;
        module.launch(&context, c"vector_add", 1, 32, &arg)
    };
    assert_eq!(set(&limits), Status::Ok);
    assert_eq!(launch(), Status::InstructionLimit);
    assert_eq!(counters(&context).instructions, 5);
    limits.instructions = 0;
    assert_eq!(set(&limits), Status::Ok);
    assert_eq!(launch(), Status::MemoryViolation);
    // Two loads and a store of 32 lanes; three of each are kept.
    assert_eq!(counters(&context).violations, 96);
    // SAFETY: a valid context.
    assert_eq!(unsafe { waveglass_context_fault_count(context.0) }, 9);
    limits.stop_at_fault = 1;
    assert_eq!(set(&limits), Status::Ok);
    assert_eq!(launch(), Status::MemoryViolation);
    assert!(counters(&context).violations < 96);

    limits.reserved = 1;
    assert_eq!(set(&limits), Status::BadArgument);
    limits.reserved = 0;
    for size in [0, 8, size_of::<Limits>() - 1, usize::MAX] {
        limits.size = size;
        assert_eq!(set(&limits), Status::BadArgument, "{size}");
    }
    // A newer caller's structure is longer: zeros in what is not known are fine, other values are not.
    #[repr(C)]
    struct Newer(Limits, u64);
    limits.size = size_of::<Newer>();
    let mut newer = Newer(limits, 0);
    // SAFETY: the structure has the size that it says.
    let set = |newer: &Newer| unsafe {
        waveglass_context_set_limits(context.0, std::ptr::from_ref(newer).cast())
    };
    assert_eq!(set(&newer), Status::Ok);
    newer.1 = 1;
    assert_eq!(set(&newer), Status::BadArgument);
}

#[test]
fn each_instruction_that_strays_is_an_entry() {
    let context = Context::new("gfx1100");
    let module = Module::load(&context, "linear.O3.gfx1100.hsaco");
    let (mut a, mut b, mut c) = ([1f32; 64], [2f32; 64], [0f32; 64]);
    context.register(&mut a[..60], WAVEGLASS_READ_ONLY, "a");
    context.register(&mut b, WAVEGLASS_READ_ONLY, "b");
    context.register(&mut c[..62], WAVEGLASS_READ_WRITE, "c");
    let arg = vector_add(&a, &b, &mut c, 64);
    let status = module.launch(&context, c"vector_add", 2, 32, &arg);
    assert_eq!(status, Status::MemoryViolation);
    // SAFETY: valid pointers.
    unsafe {
        assert_eq!(waveglass_context_fault_site_count(context.0), 2);
        let get = |index| {
            let mut site: FaultSite = std::mem::zeroed();
            let size = size_of::<FaultSite>();
            let got = waveglass_context_fault_site(context.0, index, &mut site, size);
            (got, site)
        };
        let text = |field: &[std::ffi::c_char]| CStr::from_ptr(field.as_ptr()).to_owned();
        let (got, load) = get(0);
        assert_eq!(got, Status::Ok);
        // The last four work-items read past a, the last two write past c.
        assert_eq!(
            (load.kind, load.access),
            (FaultKind::Unmapped, Access::Load)
        );
        assert_eq!((load.count, load.lanes, load.waves), (4, 0xf000_0000, 1));
        assert_eq!((load.workgroup_count, load.wave_count), (1, 1));
        assert_eq!(load.first_workgroup, [1, 0, 0]);
        assert_eq!(load.last_workgroup, [1, 0, 0]);
        let start = a.as_ptr() as u64;
        assert_eq!(load.lowest_address, start + 240);
        assert_eq!(load.highest_address, start + 252);
        assert_eq!((load.region_start, load.region_size), (start, 240));
        assert_eq!(
            (load.side, load.distance, load.farthest),
            (Side::After, 0, 12)
        );
        assert_eq!((load.first_fault, load.fault_count), (0, 4));
        assert_eq!(text(&load.region_name).as_c_str(), c"a");
        assert_eq!(text(&load.kernel).as_c_str(), c"vector_add");
        let instruction = text(&load.instruction);
        assert!(instruction.to_bytes().starts_with(b"global_load_b32 v"));

        let (got, store) = get(1);
        assert_eq!(got, Status::Ok);
        assert_eq!((store.access, store.count), (Access::Store, 2));
        assert_eq!((store.first_fault, store.fault_count), (4, 2));
        assert!(store.pc > load.pc && store.code_offset > load.code_offset);
        // An entry's details are reached by number.
        let mut fault: Fault = std::mem::zeroed();
        let got = waveglass_context_fault(context.0, 5, &mut fault, size_of::<Fault>());
        assert_eq!(
            (got, fault.access, fault.lane),
            (Status::Ok, Access::Store, 31)
        );
        assert_eq!((fault.side, fault.distance), (Side::After, 4));
        assert_eq!(fault.nearest_distance, 8);

        assert_eq!(get(2).0, Status::BadArgument);
        let null = waveglass_context_fault_site(context.0, 0, null_mut(), 8);
        assert_eq!(null, Status::BadArgument);
    }
}

#[test]
fn an_older_caller_gets_the_counters_that_it_knows() {
    let context = Context::new("gfx1100");
    let mut counters = [u64::MAX; 30];
    let mut get = |size| {
        counters = [u64::MAX; 30];
        // SAFETY: so many bytes are there.
        let status =
            unsafe { waveglass_context_counters(context.0, counters.as_mut_ptr().cast(), size) };
        assert_eq!(status, Status::Ok);
        counters.iter().take_while(|&&c| c == 0).count()
    };
    assert_eq!(get(16), 2);
    assert_eq!(get(size_of::<Counters>()), 20);
    assert_eq!(get(200), 25);
}

#[test]
fn contexts_run_side_by_side_and_one_context_in_turn() {
    let shared = Context::new("gfx1100");
    std::thread::scope(|scope| {
        for t in 0..4 {
            let shared = &shared;
            scope.spawn(move || {
                let own = Context::new("gfx1100");
                let module = Module::load(&own, "linear.O3.gfx1100.hsaco");
                let (mut a, mut b) = ([t as f32; 64], [1f32; 64]);
                let (mut c, mut d) = ([0f32; 64], [0f32; 64]);
                for (context, out) in [(&own, &mut c), (shared, &mut d)] {
                    context.register(out, WAVEGLASS_READ_WRITE, "out");
                    context.register(&mut a, WAVEGLASS_READ_ONLY, "a");
                    context.register(&mut b, WAVEGLASS_READ_ONLY, "b");
                }
                for _ in 0..20 {
                    for (context, out) in [(&own, &mut c), (shared, &mut d)] {
                        out.fill(0.0);
                        let arg = vector_add(&a, &b, out, 64);
                        let status = module.launch(context, c"vector_add", 2, 32, &arg);
                        assert_eq!(status, Status::Ok, "{}", error());
                        assert_eq!(*out, [t as f32 + 1.0; 64]);
                    }
                    assert_eq!(error(), "");
                }
                for p in [a.as_ptr(), b.as_ptr(), d.as_ptr()] {
                    // SAFETY: a valid context.
                    let gone = unsafe { waveglass_context_unregister(shared.0, p.cast()) };
                    assert_eq!(gone, Status::Ok);
                }
            });
        }
    });
}
