//! One OpenCL source on this machine's OpenCL implementation and, compiled for GPUs, in Waveglass: the
//! product of 512 x 512 matrices in `tests/kernels/opencl/matmul.cl`, on the same two cores in one run.
//!
//! `cargo bench -p waveglass --bench opencl` prints billions of floating-point operations a second by
//! the clock, the same by the processor time spent on two cores, which a busy machine does not change
//! much, and the ratios to the other's; it says so where there is no OpenCL (Debian: `pocl-opencl-icd`). `gfx900` or `gfx1100` as an
//! argument leaves the other out.

use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use waveglass::{Arg, Limits, Module};

const N: usize = 512;
const THREADS: usize = 2;
/// Rounds, in each of which everyone runs once: what disturbs one disturbs all.
const ROUNDS: usize = 12;

fn kernels(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/kernels")
        .join(name)
}

fn floats(seed: u32) -> Vec<f32> {
    let mut x = seed;
    (0..N * N)
        .map(|_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 8) as f32 / 16_777_216.0 - 0.5
        })
        .collect()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    // PoCL reads it when its platform is first asked for; nothing else runs yet.
    // SAFETY: this is the only thread.
    unsafe { std::env::set_var("POCL_CPU_MAX_CU_COUNT", THREADS.to_string()) };
    let (a, b) = (floats(1), floats(2));
    let mut opencl = match OpenCl::new(&a, &b) {
        Ok(o) => Some(o),
        Err(why) => {
            println!("no comparison: {why}");
            None
        }
    };
    let modules: Vec<(&str, Module)> = ["gfx900", "gfx1100"]
        .into_iter()
        .filter(|t| wanted.is_empty() || wanted.iter().any(|w| w == t))
        .map(|target| {
            let path = kernels(&format!("built/opencl.matmul.{target}.hsaco"));
            let file = std::fs::read(path).expect("the code object is there");
            let module = Module::load(&file, Some(target)).expect("the module loads");
            (target, module)
        })
        .collect();
    let mut best = vec![[Duration::MAX; 2]; modules.len() + 1];
    let mut result = None;
    for _ in 0..ROUNDS {
        if let Some(o) = &mut opencl {
            match o.run() {
                Ok((times, c)) => {
                    keep(&mut best[modules.len()], times);
                    check(&mut result, c, o.name.as_str());
                }
                Err(why) => {
                    println!("no comparison: {why}");
                    opencl = None;
                }
            }
        }
        for (i, (target, module)) in modules.iter().enumerate() {
            let (time, c) = waveglass(module, &a, &b);
            keep(&mut best[i], time);
            check(&mut result, c, target);
        }
    }
    let rates = |times: [Duration; 2]| {
        let work = 2.0 * (N * N * N) as f64 / 1e9;
        let [clock, processor] = times.map(|t| t.as_secs_f64());
        [work / clock, work / processor * THREADS as f64]
    };
    let other = opencl.map(|o| (o.name, rates(best[modules.len()])));
    println!("GFLOP/s on {THREADS} cores by the clock, by processor time:");
    if let Some((name, [clock, processor])) = &other {
        println!("{clock:6.2} {processor:6.2}  {name}");
    }
    for (i, (target, _)) in modules.iter().enumerate() {
        let [clock, processor] = rates(best[i]);
        let ratio = other.as_ref().map_or(String::new(), |(_, [c, p])| {
            format!(", ratios {:.2} and {:.2}", clock / c, processor / p)
        });
        println!("{clock:6.2} {processor:6.2}  Waveglass {target}{ratio}");
    }
}

/// Keeps the best of times by the clock and of processor times.
fn keep(best: &mut [Duration; 2], times: [Duration; 2]) {
    for (best, time) in best.iter_mut().zip(times) {
        *best = (*best).min(time);
    }
}

/// What a call takes by the clock, and of processor time in all threads.
fn timed<T>(f: impl FnOnce() -> T) -> ([Duration; 2], T) {
    let (clock, processor) = (Instant::now(), processor_time());
    let result = f();
    ([clock.elapsed(), processor_time() - processor], result)
}

/// Processor time of this process.
#[cfg(unix)]
fn processor_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `time`, which lives until it returns.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the clock exists");
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Time since the first call.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// All results are the same, bit for bit: the source says where operations are fused.
fn check(result: &mut Option<Vec<u8>>, c: Vec<u8>, who: &str) {
    match result {
        Some(r) => assert!(*r == c, "{who} computes something else"),
        None => *result = Some(c),
    }
}

fn waveglass(module: &Module, a: &[f32], b: &[f32]) -> ([Duration; 2], Vec<u8>) {
    let launch = module
        .launch(Some("matmul"))
        .expect("the kernel is there")
        .block([16, 16, 1])
        .grid([N as u32 / 16, N as u32 / 16, 1])
        .arg(Arg::Buffer(bytes(a)))
        .arg(Arg::Buffer(bytes(b)))
        .arg(Arg::Buffer(vec![0; N * N * 4]))
        .limits(Limits {
            threads: THREADS,
            ..Limits::default()
        });
    let (mut times, report) = timed(|| launch.run());
    let mut report = report.expect("the launch fits");
    assert!(report.error.is_none(), "{:?}", report.error);
    // The run alone, without laying out memory.
    times[0] = report.time;
    (times, report.buffers.swap_remove(2))
}

type Handle = *mut c_void;

/// An OpenCL kernel with its arguments set, on the first device of the first platform. What it holds
/// lives as long as the process.
struct OpenCl {
    library: Library,
    name: String,
    queue: Handle,
    kernel: Handle,
    output: Handle,
}

const SUCCESS: c_int = 0;
const TRUE: c_uint = 1;
const DEVICE_TYPE_ALL: u64 = 0xffff_ffff;
const DEVICE_NAME: c_uint = 0x102b;
const MEM_READ_WRITE: u64 = 1;
const MEM_COPY_HOST_PTR: u64 = 1 << 5;

/// Calls a function of the library: its name, the types of its parameters and of its result.
macro_rules! call {
    ($library:expr, $name:ident($($arg:expr => $t:ty),*) -> $r:ty) => {{
        // SAFETY: the signature is that of CL/cl.h, and pointers are to objects that outlive the call.
        unsafe {
            let f: Symbol<'_, unsafe extern "C" fn($($t),*) -> $r> = $library
                .get(concat!(stringify!($name), "\0").as_bytes())
                .map_err(|e| e.to_string())?;
            f($($arg),*)
        }
    }};
}

fn checked(what: &str, code: c_int) -> Result<(), String> {
    match code {
        SUCCESS => Ok(()),
        code => Err(format!("{what} gives {code}")),
    }
}

impl OpenCl {
    fn new(a: &[f32], b: &[f32]) -> Result<Self, String> {
        // SAFETY: loading an OpenCL loader runs its initialisation only.
        let library = unsafe { Library::new("libOpenCL.so.1") }.map_err(|e| e.to_string())?;
        let (mut platform, mut device): (Handle, Handle) = (null_mut(), null_mut());
        let code = call!(library, clGetPlatformIDs(
            1 => c_uint, &mut platform => *mut Handle, null_mut() => *mut c_uint) -> c_int);
        checked("clGetPlatformIDs", code)?;
        let code = call!(library, clGetDeviceIDs(
            platform => Handle, DEVICE_TYPE_ALL => u64, 1 => c_uint, &mut device => *mut Handle,
            null_mut() => *mut c_uint) -> c_int);
        checked("clGetDeviceIDs", code)?;
        let mut name = [0u8; 256];
        let code = call!(library, clGetDeviceInfo(
            device => Handle, DEVICE_NAME => c_uint, name.len() => usize,
            name.as_mut_ptr() => *mut u8, null_mut() => *mut usize) -> c_int);
        checked("clGetDeviceInfo", code)?;
        let name =
            CStr::from_bytes_until_nul(&name).map_or(String::new(), |n| n.to_string_lossy().into());
        let mut code = SUCCESS;
        let context = call!(library, clCreateContext(
            null() => *const isize, 1 => c_uint, &device => *const Handle, null() => *const c_void,
            null_mut() => Handle, &mut code => *mut c_int) -> Handle);
        checked("clCreateContext", code)?;
        let queue = call!(library, clCreateCommandQueue(
            context => Handle, device => Handle, 0 => u64, &mut code => *mut c_int) -> Handle);
        checked("clCreateCommandQueue", code)?;
        let source = std::fs::read(kernels("opencl/matmul.cl")).map_err(|e| e.to_string())?;
        let (text, length) = (source.as_ptr().cast::<c_char>(), source.len());
        let program = call!(library, clCreateProgramWithSource(
            context => Handle, 1 => c_uint, &text => *const *const c_char, &length => *const usize,
            &mut code => *mut c_int) -> Handle);
        checked("clCreateProgramWithSource", code)?;
        let code = call!(library, clBuildProgram(
            program => Handle, 1 => c_uint, &device => *const Handle, c"".as_ptr() => *const c_char,
            null() => *const c_void, null_mut() => Handle) -> c_int);
        checked("clBuildProgram", code)?;
        let mut code = SUCCESS;
        let kernel = call!(library, clCreateKernel(
            program => Handle, c"matmul".as_ptr() => *const c_char, &mut code => *mut c_int) -> Handle);
        checked("clCreateKernel", code)?;
        let mut output = null_mut();
        for (i, values) in [a, b, &vec![0.0; N * N]].into_iter().enumerate() {
            output = call!(library, clCreateBuffer(
                context => Handle, MEM_READ_WRITE | MEM_COPY_HOST_PTR => u64,
                size_of_val(values) => usize, values.as_ptr() => *const f32, &mut code => *mut c_int) -> Handle);
            checked("clCreateBuffer", code)?;
            let code = call!(library, clSetKernelArg(
                kernel => Handle, i as c_uint => c_uint, size_of::<Handle>() => usize,
                &output => *const Handle) -> c_int);
            checked("clSetKernelArg", code)?;
        }
        Ok(Self {
            library,
            name,
            queue,
            kernel,
            output,
        })
    }

    /// How long the kernel runs, and what it leaves.
    fn run(&mut self) -> Result<([Duration; 2], Vec<u8>), String> {
        let (global, local) = ([N, N], [16usize, 16]);
        let (times, done) = timed(|| {
            let code = call!(self.library, clEnqueueNDRangeKernel(
                self.queue => Handle, self.kernel => Handle, 2 => c_uint, null() => *const usize,
                global.as_ptr() => *const usize, local.as_ptr() => *const usize, 0 => c_uint,
                null() => *const Handle, null_mut() => *mut Handle) -> c_int);
            checked("clEnqueueNDRangeKernel", code)?;
            checked(
                "clFinish",
                call!(self.library, clFinish(self.queue => Handle) -> c_int),
            )
        });
        done?;
        let mut c = vec![0u8; N * N * 4];
        let code = call!(self.library, clEnqueueReadBuffer(
            self.queue => Handle, self.output => Handle, TRUE => c_uint, 0 => usize, c.len() => usize,
            c.as_mut_ptr() => *mut u8, 0 => c_uint, null() => *const Handle,
            null_mut() => *mut Handle) -> c_int);
        checked("clEnqueueReadBuffer", code)?;
        Ok((times, c))
    }
}
