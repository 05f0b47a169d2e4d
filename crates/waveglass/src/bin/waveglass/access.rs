//! `waveglass access`.

use anyhow::{Context, anyhow, bail};
use clap::Args;
use waveglass::MemoryConfig;
use waveglass::access::{AccessError, Scene, SceneConfig};
use waveglass::asm::LineAssembler;
use waveglass::isa::{Inst, Target};

use crate::cli::{check_wave_size, parse_target, parse_wave_size};
use crate::failure::{FINDING, Failure, REFUSED};
use crate::output;
use crate::run::parse_memory_config;

mod text;
mod values;

pub(crate) use text::terms;
use text::text;
use values::apply;
pub(crate) use values::{Map, Setting, parse_u32, parse_u64};

#[derive(Debug, Args)]
#[command(
    after_help = "Registers (--reg): v2=0,4,8..     lanes 0, 4, 8, 12, ... (the last step goes on)\n                   v2=7           all lanes\n                   v[0:1]=0x1000  64 bits over two registers; a0 is an AGPR\n                   s[0:3]=0x1000,0,64,0x27000  one value a register\n                   m0=64  vcc=3  exec is --exec\n\nMemory (--map): 0x10000:256           each dword holds the low half of its own address, as in\n                                      LDS and scratch: a loaded value says where it is from\n                0x10000:256:ro        not to be written\n                0x10000:64=7,0x80,-1  begins with these dwords\n                0x10000:64=@data.bin  begins with a file's bytes\n\nThe apertures are where runs have them, or --sh-mem-config; `lds:8` and `scratch:8` as values of\nv[A:B] are flat addresses in them.\n\nExamples:\n  waveglass access 'global_load_dwordx2 v[2:3], v0, s[0:1] offset:16' --target gfx900 \\\n    --reg 's[0:1]=0x10000' --reg v0=0,8.. --map 0x10000:256\n  waveglass access 'flat_load_dword v2, v[0:1]' --target gfx900 --lds 64 --scratch 16 \\\n    --map 0x10000:64 --reg 'v[0:1]=0x10000,lds:8,scratch:4,lds:64' --exec 0xf"
)]
pub(crate) struct AccessArgs {
    /// The instruction, as assembly or as its bytes in hexadecimal.
    pub(crate) instruction: String,
    /// The target.
    #[arg(long, value_parser = parse_target)]
    pub(crate) target: Target,
    /// Lanes of a wave.
    #[arg(long, value_name = "LANES", value_parser = parse_wave_size)]
    pub(crate) wavesize: Option<u32>,
    /// Bytes of LDS of the workgroup.
    #[arg(long, value_name = "BYTES", value_parser = parse_u32, default_value = "0")]
    pub(crate) lds: u32,
    /// Bytes of scratch of each lane.
    #[arg(long, value_name = "BYTES", value_parser = parse_u32, default_value = "0")]
    pub(crate) scratch: u32,
    /// A register's value; zero where none is given, but 0xffffffff in M0.
    #[arg(long = "reg", value_name = "REGISTER=VALUES")]
    pub(crate) registers: Vec<Setting>,
    /// Memory that is mapped, read-only with `:ro`, and what it holds.
    #[arg(long = "map", value_name = "BASE:SIZE[:ro][=DWORDS|=@FILE]")]
    pub(crate) maps: Vec<Map>,
    /// VGPRs that the wave is allocated [default: 256].
    #[arg(long, value_name = "N", value_parser = parse_u32)]
    pub(crate) vgprs: Option<u32>,
    /// SH_MEM_CONFIG, SH_MEM_BASES and LDS_CONFIG: align=dword|dword-strict|strict|unaligned, ptr32,
    /// shared-base=N, private-base=N (0 disables the aperture), m0-bounds-lds, hide-lds-range.
    #[arg(long, value_name = "SETTING[,SETTING]", value_parser = parse_memory_config)]
    pub(crate) sh_mem_config: Option<MemoryConfig>,
    /// Lanes that are on.
    #[arg(long, value_name = "MASK", value_parser = parse_u64)]
    pub(crate) exec: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The instruction that a text or hexadecimal bytes stand for.
pub(crate) fn instruction(text: &str, target: Target, lanes: u32) -> anyhow::Result<Inst> {
    let Ok(bytes) = output::parse_hex(text) else {
        return LineAssembler::new(target, lanes)
            .assemble(text)
            .map_err(|d| {
                let help = d.help.map_or(String::new(), |h| format!("; {h}"));
                anyhow!("INSTRUCTION: column {}: {}{help}", d.column, d.message)
            });
    };
    let inst = waveglass::access::instruction(target, lanes, &bytes)
        .map_err(|e| anyhow!("INSTRUCTION: {e} of {target}"))?;
    if inst.size() < bytes.len() {
        bail!("INSTRUCTION: {} bytes follow it", bytes.len() - inst.size());
    }
    Ok(inst)
}

/// The scene with memory and registers as given; `lds_scratch` are their sizes in bytes.
pub(crate) fn scene(
    target: Target,
    lanes: u32,
    lds_scratch: (u32, u32),
    config: &SceneConfig,
    maps: &[Map],
    registers: &[Setting],
    exec: Option<u64>,
) -> anyhow::Result<Scene> {
    let mut scene =
        Scene::configured(target, lanes, lds_scratch, config).map_err(|e| anyhow!(e))?;
    for m in maps {
        let name = format!("{:#x}:{}", m.base, m.size);
        let content = m.content().with_context(|| format!("--map {name}"))?;
        scene
            .map_with(m.base, m.size, !m.read_only, &name, &content)
            .with_context(|| format!("--map {name}"))?;
    }
    apply(registers, &mut scene)?;
    if let Some(exec) = exec {
        let full = scene.wave().full_mask();
        if exec & !full != 0 {
            bail!("--exec {exec:#x}: the wave has {lanes} lanes");
        }
        scene.wave_mut().set_exec(exec);
    }
    Ok(scene)
}

pub(crate) fn main(args: &AccessArgs) -> Result<(), Failure> {
    check_wave_size(args.target, args.wavesize)?;
    let lanes = args.wavesize.unwrap_or(args.target.default_wave_size());
    let inst = instruction(&args.instruction, args.target, lanes)?;
    let mut scene = scene(
        args.target,
        lanes,
        (args.lds, args.scratch),
        &SceneConfig {
            memory: args.sh_mem_config.unwrap_or_default(),
            vgprs: args.vgprs,
        },
        &args.maps,
        &args.registers,
        args.exec,
    )?;
    let report = scene.access(&inst).map_err(|e| match e {
        AccessError::Refused { .. } => Failure::new(REFUSED, anyhow!(e)),
        _ => Failure::from(anyhow!(e)),
    })?;
    if args.json {
        output::write_json(&report)?;
    } else {
        output::write(&text(&report))?;
    }
    if !report.contradictions.is_empty() {
        return Err(Failure::new(
            REFUSED,
            anyhow!("the explanation contradicts what was executed: a defect of Waveglass"),
        ));
    }
    let faults = report.lanes.iter().filter(|l| l.fault.is_some()).count();
    if !report.violations.is_empty() {
        return Err(Failure::new(
            FINDING,
            anyhow!("a memory violation by the whole wave"),
        ));
    }
    if faults > 0 {
        let s = if faults == 1 { "" } else { "s" };
        return Err(Failure::new(
            FINDING,
            anyhow!("a memory violation by {faults} lane{s}"),
        ));
    }
    Ok(())
}
