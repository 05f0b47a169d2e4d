//! What stands between the tests and the library: builds of a kernel, and [`Launch`], which runs one.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use waveglass::exec::{MemoryOrder, Op, Wave};
use waveglass::mem::{Fault, Space};
use waveglass::{Limits, Module};

use crate::evidence;

/// The targets in a fat binary of all targets, in the order in which `build.sh` names them.
pub(crate) const TARGETS: [&str; 12] = [
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100",
    "gfx1150", "gfx1201", "gfx1250",
];

/// The targets of the `wave64` variants.
const WAVE64_TARGETS: [&str; 3] = ["gfx1030", "gfx1100", "gfx1201"];

/// One code object: a source compiled one way for one target.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    /// The file's name up to the extension, as in `reduce.O3.wave64`.
    pub(crate) name: String,
    pub(crate) target: &'static str,
    /// Lanes in a wave.
    pub(crate) wave: u32,
    file: Arc<Vec<u8>>,
}

impl Build {
    /// Starts the description of a launch of `kernel`.
    pub(crate) fn launch(&self, kernel: &str) -> Launch {
        Launch {
            code_object: Arc::clone(&self.file),
            target: self.target,
            kernel: kernel.to_owned(),
            grid: [1; 3],
            block: [1; 3],
            work_items: None,
            dynamic_lds: 0,
            masked_store: None,
            args: Vec::new(),
        }
    }

    /// Rewrites the file a dword at a time.
    pub(crate) fn change_dwords(&mut self, change: impl Fn(u32) -> u32) {
        for bytes in Arc::make_mut(&mut self.file).chunks_exact_mut(4) {
            let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            bytes.copy_from_slice(&change(word).to_le_bytes());
        }
    }

    pub(crate) fn is_gfx9(&self) -> bool {
        self.target.len() == 6
    }
}

fn file(name: &str) -> Arc<Vec<u8>> {
    static FILES: LazyLock<Mutex<HashMap<String, Arc<Vec<u8>>>>> = LazyLock::new(Mutex::default);
    let mut files = FILES.lock().unwrap_or_else(|e| e.into_inner());
    let bytes = files.entry(name.to_owned()).or_insert_with(|| {
        let path: PathBuf = [
            env!("CARGO_MANIFEST_DIR"),
            "../../tests/kernels/built",
            name,
        ]
        .iter()
        .collect();
        Arc::new(std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    });
    Arc::clone(bytes)
}

/// The builds of `source` that are named, each for the targets in `targets`.
pub(crate) fn builds_of(source: &str, variants: &[&str], targets: &[&'static str]) -> Vec<Build> {
    let mut builds = Vec::new();
    for variant in variants {
        let name = format!("{source}.{variant}");
        let file = file(&format!("{name}.hipfb"));
        for &target in targets {
            let wave = if target.len() == 6 || variant.contains("wave64") {
                64
            } else {
                32
            };
            builds.push(Build {
                name: name.clone(),
                target,
                wave,
                file: Arc::clone(&file),
            });
        }
    }
    builds
}

/// The code object of `target` in a file of its own.
pub(crate) fn plain(name: &str, target: &'static str, wave: u32) -> Build {
    Build {
        name: name.to_owned(),
        target,
        wave,
        file: file(name),
    }
}

/// -O0 and -O3 for every target.
pub(crate) fn builds(source: &str) -> Vec<Build> {
    builds_of(source, &["O0", "O3"], &TARGETS)
}

/// [`builds`], and those for waves of 64 lanes where 32 is the default.
pub(crate) fn builds_and_wave64(source: &str) -> Vec<Build> {
    let mut all = builds(source);
    all.extend(builds_of(
        source,
        &["O0.wave64", "O3.wave64"],
        &WAVE64_TARGETS,
    ));
    all
}

/// Runs `test` on each build and panics with the list of those that failed.
pub(crate) fn each(builds: Vec<Build>, test: impl Fn(&Build) -> Result<(), String>) {
    let only_target = std::env::var("WAVEGLASS_KERNEL_TARGET").ok();
    let only_build = std::env::var("WAVEGLASS_KERNEL_BUILD").ok();
    let only_variant = ORDER.get().map(|(_, variant)| variant);
    let mut failures = Vec::new();
    let mut runs = 0;
    for build in &builds {
        if only_target.as_deref().is_some_and(|t| t != build.target)
            || only_build
                .as_deref()
                .is_some_and(|b| !build.name.contains(b))
            || only_variant.is_some_and(|v| !build.name.contains(v))
        {
            continue;
        }
        runs += 1;
        if let Err(message) = test(build) {
            failures.push(format!("{:7} {}: {message}", build.target, build.name));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {runs} builds failed\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// An explicit kernel argument.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// Bytes that go into the kernarg segment at the argument's offset.
    Value(Vec<u8>),
    /// Memory whose address goes there; its content after the run is in [`Outputs`].
    Buffer(Vec<u8>),
}

/// A launch under construction.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// A code object, or a fat binary that holds one for `target`.
    pub(crate) code_object: Arc<Vec<u8>>,
    pub(crate) target: &'static str,
    pub(crate) kernel: String,
    /// Workgroups along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Work-items in a workgroup along x, y and z.
    pub(crate) block: [u32; 3],
    /// Work-items in the grid, where `block` need not divide them; `grid` is ignored then.
    pub(crate) work_items: Option<[u32; 3]>,
    /// Bytes of LDS beyond those that the kernel declares.
    pub(crate) dynamic_lds: u32,
    /// An LDS offset outside of any allocation to which lanes store that are not to store at all.
    pub(crate) masked_store: Option<u64>,
    /// In the order of the kernel's parameters.
    pub(crate) args: Vec<Arg>,
}

impl Launch {
    pub(crate) fn grid(mut self, workgroups: [u32; 3]) -> Self {
        self.grid = workgroups;
        self
    }

    pub(crate) fn block(mut self, work_items: [u32; 3]) -> Self {
        self.block = work_items;
        self
    }

    pub(crate) fn work_items(mut self, work_items: [u32; 3]) -> Self {
        self.work_items = Some(work_items);
        self
    }

    pub(crate) fn dynamic_lds(mut self, bytes: u32) -> Self {
        self.dynamic_lds = bytes;
        self
    }

    /// Stores to `address` in LDS are dropped without being a fault of the kernel.
    pub(crate) fn masked_store(mut self, address: u64) -> Self {
        self.masked_store = Some(address);
        self
    }

    pub(crate) fn arg<T: Plain>(mut self, value: T) -> Self {
        self.args.push(Arg::Value(to_bytes(&[value])));
        self
    }

    pub(crate) fn arg_bytes(mut self, bytes: &[u8]) -> Self {
        self.args.push(Arg::Value(bytes.to_vec()));
        self
    }

    pub(crate) fn buffer<T: Plain>(mut self, content: &[T]) -> Self {
        self.args.push(Arg::Buffer(to_bytes(content)));
        self
    }

    /// A buffer of `count` elements whose bytes are all 0xa5, so that a store that is missing shows.
    pub(crate) fn output<T: Plain>(mut self, count: usize) -> Self {
        self.args
            .push(Arg::Buffer(vec![0xa5; count * size_of::<T>()]));
        self
    }

    /// Runs the kernel to its end and hands back the buffers.
    pub(crate) fn run(self) -> Result<Outputs, String> {
        run(self)
    }
}

/// The one function that knows how the library runs a kernel.
fn run(launch: Launch) -> Result<Outputs, String> {
    let Launch {
        code_object,
        target,
        kernel,
        grid,
        block,
        work_items,
        dynamic_lds,
        masked_store,
        args,
    } = launch;
    let items = work_items.unwrap_or([grid[0] * block[0], grid[1] * block[1], grid[2] * block[2]]);
    let module = Module::load(&code_object, Some(target)).map_err(|e| e.to_string())?;
    let mut launch = module
        .launch(Some(&kernel))
        .map_err(|e| e.to_string())?
        .block(block)
        .work_items(items)
        .dynamic_lds(dynamic_lds)
        .limits(Limits {
            timeout: Some(Duration::from_secs(60)),
            order: memory_order(),
            faults: if masked_store.is_some() {
                usize::MAX
            } else {
                Limits::default().faults
            },
            ..Limits::default()
        });
    for arg in args {
        launch = launch.arg(match arg {
            Arg::Value(bytes) => waveglass::Arg::Value(bytes),
            Arg::Buffer(bytes) => waveglass::Arg::Buffer(bytes),
        });
    }
    let see = |_: &Wave, op: &Op| {
        if let Some(inst) = &op.inst {
            evidence::note(inst);
        }
    };
    if evidence::is_wanted() {
        launch = launch.trace(&see);
    }
    let report = launch.run().map_err(|e| e.to_string())?;
    if let Some(e) = report.error {
        return Err(format!("{kernel}: {e}"));
    }
    // Before the faults: an address that was read too early is poison.
    if let Some(h) = report.outcome.hazards.first() {
        return Err(format!(
            "{kernel}: at {:#x}: {h} ({} in all)",
            h.address, report.outcome.hazard_count
        ));
    }
    let mut faults = report.outcome.faults.iter().flat_map(|s| &s.details);
    let masked = |f: &Fault| f.space == Space::Lds && Some(f.address) == masked_store;
    if let Some(f) = faults.find(|f| !masked(&f.fault)) {
        return Err(format!(
            "{kernel}: {} at {:#x}: {} ({} faults)",
            f.mnemonic, f.address, f.fault, report.outcome.fault_count
        ));
    }
    Ok(Outputs {
        buffers: report.buffers,
    })
}

thread_local! {
    /// The order that [`in_order`] asks for, and the builds that it runs.
    static ORDER: Cell<Option<(MemoryOrder, &'static str)>> = const { Cell::new(None) };
}

/// `WAVEGLASS_MEMORY_ORDER` runs all tests with operations in flight: `inorder`, or a seed.
fn memory_order() -> MemoryOrder {
    if let Some((order, _)) = ORDER.get() {
        return order;
    }
    match std::env::var("WAVEGLASS_MEMORY_ORDER").as_deref() {
        Ok("inorder") => MemoryOrder::InOrder,
        Ok(seed) => MemoryOrder::Adversarial(seed.parse().expect("`inorder` or a seed")),
        Err(_) => MemoryOrder::Eager,
    }
}

/// Runs `test` in another memory order, on the builds with `variant` in their names.
pub(crate) fn in_order(order: MemoryOrder, variant: &'static str, test: fn()) {
    ORDER.set(Some((order, variant)));
    test();
    ORDER.set(None);
}

/// Runs `f` in another memory order.
pub(crate) fn with_order(order: MemoryOrder, f: impl FnOnce()) {
    ORDER.set(Some((order, "")));
    f();
    ORDER.set(None);
}

/// The buffers after a run, in the order of the buffer arguments.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) buffers: Vec<Vec<u8>>,
}

impl Outputs {
    /// The content of the buffer that is the `index`th buffer argument.
    pub(crate) fn get<T: Plain>(&self, index: usize) -> Vec<T> {
        from_bytes(&self.buffers[index])
    }
}

/// Types that lie in memory as they do in a kernel.
pub(crate) trait Plain: Copy {
    fn put(self, bytes: &mut Vec<u8>);
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Plain for $t {
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().expect("an element's own size"))
            }
        }
    )*};
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

pub(crate) fn to_bytes<T: Plain>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(values));
    values.iter().for_each(|v| v.put(&mut bytes));
    bytes
}

pub(crate) fn from_bytes<T: Plain>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(T::take).collect()
}
