//! `.amdhsa_kernel`: kernel descriptors (AMDGPUUsage, "Kernel Descriptor" and
//! "`.amdhsa_` directives").

use super::assembler::{Assembler, source_line};
use super::cursor::Cursor;
use super::diagnostic::Problem;
use super::expression::{self, Expr, Node, Operator, Variant};
use super::symbol::SymbolId;
use waveglass_isa::Target;

/// The directives of one kernel as written.
pub(super) struct KernelFields {
    name: SymbolId,
    pub(super) line: u32,
    given: Given,
    /// The field that the next directive is expected to name.
    next: usize,
}

/// What the directives give, by the positions of their fields.
type Given = Box<[Option<Expr>; FIELDS.len()]>;

/// A kernel descriptor whose place is kept.
pub(super) struct Kernel {
    section: u32,
    offset: u64,
    line: u32,
    given: Given,
}

/// Words of the descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// A dword at this byte.
    Whole(usize),
    Rsrc1,
    Rsrc2,
    Rsrc3,
    Properties,
    Preload,
    /// Counted into other fields.
    None,
}

struct FieldDef {
    name: &'static str,
    word: Word,
    shift: u32,
    width: u32,
    on: fn(Target) -> bool,
    /// User SGPRs that the field asks for.
    sgprs: u32,
}

fn every(_: Target) -> bool {
    true
}
fn architected(t: Target) -> bool {
    t.has_gfx940_insts() || t.major() >= 11
}
fn absolute(t: Target) -> bool {
    !architected(t)
}
fn unified(t: Target) -> bool {
    t.has_gfx90a_insts()
}
fn gfx10(t: Target) -> bool {
    t.major() >= 10
}
fn gfx12(t: Target) -> bool {
    t.major() >= 12
}
fn before_gfx12(t: Target) -> bool {
    t.major() < 12
}
fn shared_vgprs(t: Target) -> bool {
    matches!(t.major(), 10 | 11)
}
fn gfx1250(t: Target) -> bool {
    t.has_gfx1250_insts()
}
fn preload(t: Target) -> bool {
    unified(t) || gfx1250(t)
}
fn pref_before_12(t: Target) -> bool {
    t.major() == 11
}
fn workgroup_modes(t: Target) -> bool {
    t.major() >= 10 && !gfx1250(t)
}

macro_rules! fields {
    ($($name:literal $word:expr, $shift:literal, $width:literal, $on:expr $(, $sgprs:literal)?;)*) => {
        &[$(FieldDef {
            name: $name,
            word: $word,
            shift: $shift,
            width: $width,
            on: $on,
            sgprs: 0 $(+ $sgprs)?,
        },)*]
    };
}

const FIELDS: &[FieldDef] = fields! {
    "group_segment_fixed_size" Word::Whole(0), 0, 32, every;
    "private_segment_fixed_size" Word::Whole(4), 0, 32, every;
    "kernarg_size" Word::Whole(8), 0, 32, every;
    "user_sgpr_count" Word::None, 0, 32, every;
    "user_sgpr_private_segment_buffer" Word::Properties, 0, 1, absolute, 4;
    "user_sgpr_dispatch_ptr" Word::Properties, 1, 1, every, 2;
    "user_sgpr_queue_ptr" Word::Properties, 2, 1, every, 2;
    "user_sgpr_kernarg_segment_ptr" Word::Properties, 3, 1, every, 2;
    "user_sgpr_dispatch_id" Word::Properties, 4, 1, every, 2;
    "user_sgpr_flat_scratch_init" Word::Properties, 5, 1, absolute, 2;
    "user_sgpr_private_segment_size" Word::Properties, 6, 1, every, 1;
    "user_sgpr_kernarg_preload_length" Word::Preload, 0, 7, preload;
    "user_sgpr_kernarg_preload_offset" Word::Preload, 7, 9, preload;
    "wavefront_size32" Word::Properties, 10, 1, gfx10;
    "uses_dynamic_stack" Word::Properties, 11, 1, every;
    "system_sgpr_private_segment_wavefront_offset" Word::Rsrc2, 0, 1, absolute;
    "enable_private_segment" Word::Rsrc2, 0, 1, architected;
    "system_sgpr_workgroup_id_x" Word::Rsrc2, 7, 1, every;
    "system_sgpr_workgroup_id_y" Word::Rsrc2, 8, 1, every;
    "system_sgpr_workgroup_id_z" Word::Rsrc2, 9, 1, every;
    "system_sgpr_workgroup_info" Word::Rsrc2, 10, 1, every;
    "system_vgpr_workitem_id" Word::Rsrc2, 11, 2, every;
    "next_free_vgpr" Word::None, 0, 32, every;
    "next_free_sgpr" Word::None, 0, 32, every;
    "accum_offset" Word::None, 0, 32, unified;
    "reserve_vcc" Word::None, 0, 1, every;
    "reserve_flat_scratch" Word::None, 0, 1, absolute;
    "reserve_xnack_mask" Word::None, 0, 1, every;
    "float_round_mode_32" Word::Rsrc1, 12, 2, every;
    "float_round_mode_16_64" Word::Rsrc1, 14, 2, every;
    "float_denorm_mode_32" Word::Rsrc1, 16, 2, every;
    "float_denorm_mode_16_64" Word::Rsrc1, 18, 2, every;
    "dx10_clamp" Word::Rsrc1, 21, 1, before_gfx12;
    "ieee_mode" Word::Rsrc1, 23, 1, before_gfx12;
    "round_robin_scheduling" Word::Rsrc1, 21, 1, gfx12;
    "fp16_overflow" Word::Rsrc1, 26, 1, every;
    "workgroup_processor_mode" Word::Rsrc1, 29, 1, workgroup_modes;
    "memory_ordered" Word::Rsrc1, 30, 1, gfx10;
    "forward_progress" Word::Rsrc1, 31, 1, gfx10;
    "tg_split" Word::Rsrc3, 16, 1, unified;
    "shared_vgpr_count" Word::Rsrc3, 0, 4, shared_vgprs;
    "inst_pref_size" Word::Rsrc3, 4, 6, pref_before_12;
    "inst_pref_size" Word::Rsrc3, 4, 8, gfx12;
    "named_barrier_count" Word::None, 0, 32, gfx1250;
    "exception_fp_ieee_invalid_op" Word::Rsrc2, 24, 1, every;
    "exception_fp_denorm_src" Word::Rsrc2, 25, 1, every;
    "exception_fp_ieee_div_zero" Word::Rsrc2, 26, 1, every;
    "exception_fp_ieee_overflow" Word::Rsrc2, 27, 1, every;
    "exception_fp_ieee_underflow" Word::Rsrc2, 28, 1, every;
    "exception_fp_ieee_inexact" Word::Rsrc2, 29, 1, every;
    "exception_int_div_zero" Word::Rsrc2, 30, 1, every;
};

/// Positions of fields.
mod at {
    use super::field;

    pub(super) const USER_SGPR_COUNT: usize = field("user_sgpr_count");
    pub(super) const PRELOAD_LENGTH: usize = field("user_sgpr_kernarg_preload_length");
    pub(super) const WAVEFRONT_SIZE32: usize = field("wavefront_size32");
    pub(super) const NEXT_FREE_VGPR: usize = field("next_free_vgpr");
    pub(super) const NEXT_FREE_SGPR: usize = field("next_free_sgpr");
    pub(super) const ACCUM_OFFSET: usize = field("accum_offset");
    pub(super) const RESERVE_VCC: usize = field("reserve_vcc");
    pub(super) const RESERVE_FLAT_SCRATCH: usize = field("reserve_flat_scratch");
    pub(super) const RESERVE_XNACK_MASK: usize = field("reserve_xnack_mask");
    pub(super) const NAMED_BARRIER_COUNT: usize = field("named_barrier_count");
}

/// The position of a field; a name that is not among them does not compile.
const fn field(name: &str) -> usize {
    let mut n = 0;
    loop {
        let (a, b) = (FIELDS[n].name.as_bytes(), name.as_bytes());
        let mut same = 0;
        while a.len() == b.len() && same < a.len() && a[same] == b[same] {
            same += 1;
        }
        if same == b.len() && a.len() == b.len() {
            return n;
        }
        n += 1;
    }
}

/// The position of the field that a directive names on a target, looked for from `first` on:
/// compilers write the fields in their order. Where there is none, whether another target has it.
fn find_field(name: &[u8], target: Target, first: usize) -> Result<usize, bool> {
    let mut known = false;
    for n in (first..FIELDS.len()).chain(0..first) {
        let f = &FIELDS[n];
        if f.name.as_bytes() == name {
            if (f.on)(target) {
                return Ok(n);
            }
            known = true;
        }
    }
    Err(known)
}

impl Assembler<'_> {
    pub(super) fn kernel_start(&mut self, c: &mut Cursor<'_>, at: usize) -> Result<(), Problem> {
        let name = c.name();
        if name.is_empty() || !c.is_end() {
            return Err(Problem::at(c.pos, "expected a kernel's name"));
        }
        let _ = at;
        let name = self.symbols.intern(name);
        self.kernel = Some(KernelFields {
            name,
            line: self.symbols.line,
            given: Box::new([None; FIELDS.len()]),
            next: 0,
        });
        Ok(())
    }

    /// A statement between `.amdhsa_kernel` and `.end_amdhsa_kernel`.
    pub(super) fn kernel_field(&mut self, c: &mut Cursor<'_>) -> Result<(), Problem> {
        let at = c.pos;
        let name = c.name();
        if name == b".end_amdhsa_kernel" {
            let fields = self.kernel.take();
            return fields.map_or(Ok(()), |f| self.kernel_end(f, at));
        }
        let Some(short) = name.strip_prefix(b".amdhsa_") else {
            return Err(Problem::at(
                at,
                "expected .amdhsa_ directive or .end_amdhsa_kernel",
            ));
        };
        let target = self.target;
        let next = self.kernel.as_ref().map_or(0, |k| k.next);
        let index = find_field(short, target, next).map_err(|known| {
            let text = String::from_utf8_lossy(name);
            if known {
                Problem::at(at, format!("{text} does not exist on {target}"))
            } else {
                Problem::at(at, format!("unknown .amdhsa_kernel directive {text}"))
            }
        })?;
        let e = expression::parse(c, &mut self.symbols)?;
        if !c.is_end() {
            return Err(Problem::at(c.pos, "unexpected token"));
        }
        if let Expr::Const(v) = e {
            let width = FIELDS[index].width;
            if v < 0 || width < 63 && v >> width != 0 {
                return Err(Problem::at(at, "value out of range"));
            }
        }
        if index == at::RESERVE_XNACK_MASK
            && let Some(v) = self.symbols.constant(e)
            && (v != 0) != self.may_have_xnack()
        {
            return Err(
                Problem::at(at, ".amdhsa_reserve_xnack_mask does not match target id").help(
                    format!(
                        "{} here: .amdgcn_target says whether XNACK is on",
                        self.may_have_xnack() as u8
                    ),
                ),
            );
        }
        let Some(k) = &mut self.kernel else {
            return Ok(());
        };
        k.next = index + 1;
        let slot = &mut k.given[index];
        if slot.is_some() {
            return Err(Problem::at(at, ".amdhsa_ directives cannot be repeated"));
        }
        *slot = Some(e);
        Ok(())
    }

    /// Whether XNACK is on, or may be, as LLVM says "on or any" of a target ID.
    fn may_have_xnack(&self) -> bool {
        self.xnack != Some(false) && self.target.supports_xnack()
    }

    fn kernel_end(&mut self, k: KernelFields, at: usize) -> Result<(), Problem> {
        let accum_offset = unified(self.target).then_some(at::ACCUM_OFFSET);
        let mut required = [at::NEXT_FREE_VGPR, at::NEXT_FREE_SGPR]
            .into_iter()
            .chain(accum_offset);
        if let Some(n) = required.find(|n| k.given[*n].is_none()) {
            let name = FIELDS[n].name;
            return Err(Problem::at(
                at,
                format!(".amdhsa_{name} directive is required"),
            ));
        }
        // The descriptor is seen as the kernel is.
        let mut name = self.symbols.list[k.name as usize].name.to_vec();
        name.extend_from_slice(b".kd");
        let descriptor = self.symbols.intern(&name);
        let code = &mut self.symbols.list[k.name as usize];
        let (binding, visibility) = (code.binding, code.visibility);
        if code.visibility == 0 {
            code.visibility = 3;
        }
        let kd = &mut self.symbols.list[descriptor as usize];
        kd.binding = binding;
        kd.visibility = visibility;
        kd.kind = 1;
        kd.size = Some(Expr::Const(64));
        self.define_label(descriptor, at)?;
        let offset = self.offset();
        self.emit(&[0; 16], at)?;
        let entry = self.symbols.node(Node::Symbol(k.name, Variant::Rel64));
        let entry = self
            .symbols
            .node(Node::Binary(Operator::Add, entry, Expr::Const(16)));
        self.emit_value(entry, 8, at)?;
        self.emit(&[0; 40], at)?;
        self.kernels.push(Kernel {
            section: self.current,
            offset,
            line: k.line,
            given: k.given,
        });
        Ok(())
    }

    /// Fills a descriptor's place when all symbols are known.
    pub(super) fn write_descriptor(&mut self, k: Kernel, source: &[u8]) {
        match self.descriptor(&k) {
            Ok(bytes) => {
                let at = k.offset as usize;
                if let Some(place) = self.sections[k.section as usize].data.get_mut(at..at + 64) {
                    place[..16].copy_from_slice(&bytes[..16]);
                    place[24..].copy_from_slice(&bytes[24..]);
                }
            }
            Err(message) => {
                let text = source_line(source, k.line);
                self.symbols.line = k.line;
                self.report_line(k.line, message, text);
            }
        }
    }

    fn descriptor(&self, k: &Kernel) -> Result<[u8; 64], String> {
        let target = self.target;
        let limits = &self.symbols.limits;
        let value = |n: usize| -> Result<Option<u64>, String> {
            let Some(e) = k.given[n] else {
                return Ok(None);
            };
            match self.symbols.constant(e) {
                Some(v) if v >= 0 => Ok(Some(v as u64)),
                Some(_) => Err(format!(".amdhsa_{} is negative", FIELDS[n].name)),
                None => Err(format!(".amdhsa_{} has no known value", FIELDS[n].name)),
            }
        };
        let mut bytes = [0u8; 64];
        let mut rsrc1 = 3u32 << 18;
        let mut rsrc2 = 1u32 << 7;
        let mut rsrc3 = 0u32;
        let mut properties = 0u32;
        let mut preload_bits = 0u32;
        if target.major() < 12 {
            rsrc1 |= 1 << 21 | 1 << 23;
        }
        if target.major() >= 10 {
            rsrc1 |= 1 << 30 | 1 << 31;
            if workgroup_modes(target) {
                rsrc1 |= 1 << 29;
            }
            properties |= ((self.wave_size() == 32) as u32) << 10;
        }
        let mut user_sgprs = 0;
        for (n, f) in FIELDS.iter().enumerate() {
            let Some(v) = value(n)? else { continue };
            if f.width < 64 && v >> f.width != 0 {
                return Err(format!(
                    "value out of range: .amdhsa_{} has {} bits",
                    f.name, f.width
                ));
            }
            let v32 = v as u32;
            let mask = ((1u64 << f.width) - 1) as u32;
            let word = match f.word {
                Word::Whole(at) => {
                    bytes[at..at + 4].copy_from_slice(&v32.to_le_bytes());
                    continue;
                }
                Word::Rsrc1 => &mut rsrc1,
                Word::Rsrc2 => &mut rsrc2,
                Word::Rsrc3 => &mut rsrc3,
                Word::Properties => &mut properties,
                Word::Preload => &mut preload_bits,
                Word::None => continue,
            };
            *word = *word & !(mask << f.shift) | v32 << f.shift;
            if v != 0 {
                user_sgprs += f.sgprs;
            }
        }
        if let Some(v) = value(at::WAVEFRONT_SIZE32)?
            && (v != 0) != (self.wave_size() == 32)
        {
            return Err(format!(
                ".amdhsa_wavefront_size32 does not agree with waves of {} lanes",
                self.wave_size()
            ));
        }
        user_sgprs += value(at::PRELOAD_LENGTH)?.unwrap_or(0) as u32;
        if let Some(v) = value(at::USER_SGPR_COUNT)? {
            if v < user_sgprs as u64 {
                return Err(format!(
                    "amdgpu_user_sgpr_count smaller than implied by enabled user SGPRs ({user_sgprs})"
                ));
            }
            user_sgprs = v as u32;
        }
        let (field_bits, most) = if gfx1250(target) { (6, 32) } else { (5, 16) };
        if user_sgprs > most {
            return Err(format!(
                "too many user SGPRs enabled: {user_sgprs} of {most}"
            ));
        }
        let mask = (1u32 << field_bits) - 1;
        rsrc2 = rsrc2 & !(mask << 1) | (user_sgprs & mask) << 1;

        let vgprs = value(at::NEXT_FREE_VGPR)?.unwrap_or(0);
        if vgprs > limits.addressable_vgprs() as u64 {
            return Err(format!("{vgprs} VGPRs are more than {target} has"));
        }
        let granule = limits.vgpr_encoding_granule() as u64;
        let blocks = vgprs.max(1).div_ceil(granule) - 1;
        rsrc1 = rsrc1 & !0x3f | (blocks as u32 & 0x3f);
        if target.is_gfx9() {
            let sgprs = value(at::NEXT_FREE_SGPR)?.unwrap_or(0);
            if sgprs > limits.addressable_sgprs() as u64 {
                return Err(format!("{sgprs} SGPRs are more than {target} has"));
            }
            let vcc = value(at::RESERVE_VCC)?.unwrap_or(1) != 0;
            let flat = value(at::RESERVE_FLAT_SCRATCH)?.unwrap_or(1) != 0;
            let xnack = value(at::RESERVE_XNACK_MASK)?.map_or(self.may_have_xnack(), |v| v != 0);
            let all = sgprs + limits.extra_sgprs(vcc, flat, xnack) as u64;
            let blocks = all.max(1).div_ceil(8) - 1;
            rsrc1 = rsrc1 & !(0xf << 6) | (blocks as u32 & 0xf) << 6;
        }
        if unified(target) {
            let offset = value(at::ACCUM_OFFSET)?.unwrap_or(4);
            if !(4..=256).contains(&offset) || offset % 4 != 0 {
                return Err(
                    "accum_offset should be in range [4..256] in increments of 4".to_owned(),
                );
            }
            let vgprs_aligned = vgprs.max(1).next_multiple_of(4);
            if offset > vgprs_aligned {
                return Err("accum_offset exceeds total VGPR allocation".to_owned());
            }
            rsrc3 = rsrc3 & !0x3f | (offset as u32 / 4 - 1);
        }
        if let Some(n) = value(at::NAMED_BARRIER_COUNT)? {
            rsrc3 |= (n as u32).div_ceil(4) << 14;
        }
        bytes[44..48].copy_from_slice(&rsrc3.to_le_bytes());
        bytes[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        bytes[52..56].copy_from_slice(&rsrc2.to_le_bytes());
        bytes[56..58].copy_from_slice(&(properties as u16).to_le_bytes());
        bytes[58..60].copy_from_slice(&(preload_bits as u16).to_le_bytes());
        Ok(bytes)
    }
}

/// The directives between `.amdhsa_kernel` and `.end_amdhsa_kernel` that give the descriptor
/// `bytes` but for its entry; `None` where it has bits that no directive sets.
pub(super) fn directives(
    bytes: &[u8; 64],
    target: Target,
    wave_size: u32,
    xnack: Option<bool>,
) -> Option<Vec<(&'static str, u64)>> {
    let dword =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (rsrc3, rsrc1, rsrc2) = (dword(44), dword(48), dword(52));
    let (properties, preload) = (dword(56) & 0xffff, dword(56) >> 16);
    let limits = super::resources::Limits::new(target, wave_size);
    let mut list = Vec::new();
    // The bits that the directives give again.
    let mut covered = [0u32; 5];
    for f in FIELDS.iter().filter(|f| (f.on)(target)) {
        let (n, word) = match f.word {
            Word::Whole(at) => {
                list.push((f.name, dword(at) as u64));
                continue;
            }
            Word::Rsrc1 => (0, rsrc1),
            Word::Rsrc2 => (1, rsrc2),
            Word::Rsrc3 => (2, rsrc3),
            Word::Properties => (3, properties),
            Word::Preload => (4, preload),
            Word::None => continue,
        };
        let mask = ((1u64 << f.width) - 1) as u32;
        covered[n] |= mask << f.shift;
        list.push((f.name, (word >> f.shift & mask) as u64));
    }
    let user_bits = if gfx1250(target) { 6 } else { 5 };
    let user_mask = (1u32 << user_bits) - 1;
    covered[1] |= user_mask << 1;
    list.push(("user_sgpr_count", (rsrc2 >> 1 & user_mask) as u64));
    covered[0] |= 0x3f;
    let vgprs = ((rsrc1 & 0x3f) + 1) * limits.vgpr_encoding_granule();
    list.push(("next_free_vgpr", vgprs as u64));
    if target.is_gfx9() {
        covered[0] |= 0xf << 6;
        let all = ((rsrc1 >> 6 & 0xf) + 1) * 8;
        let xnack = xnack != Some(false) && target.supports_xnack();
        let extra = limits.extra_sgprs(false, false, xnack);
        // What the hardware counts is at most what a program may name; the rest is reserved.
        let named = all.checked_sub(extra)?.min(limits.addressable_sgprs());
        let reserved = all - extra - named;
        list.push(("next_free_sgpr", named as u64));
        let flat = absolute(target) && reserved > 2;
        list.push(("reserve_vcc", (reserved > 0) as u64));
        if absolute(target) {
            list.push(("reserve_flat_scratch", flat as u64));
        }
        list.push(("reserve_xnack_mask", xnack as u64));
    } else {
        list.push(("next_free_sgpr", 1));
    }
    if unified(target) {
        covered[2] |= 0x3f;
        list.push(("accum_offset", (((rsrc3 & 0x3f) + 1) * 4) as u64));
    }
    if gfx1250(target) {
        covered[2] |= 7 << 14;
        list.push(("named_barrier_count", ((rsrc3 >> 14 & 7) * 4) as u64));
    }
    let words = [rsrc1, rsrc2, rsrc3, properties, preload];
    let rest = words.iter().zip(covered).any(|(w, c)| w & !c != 0);
    let reserved = bytes[12..16]
        .iter()
        .chain(&bytes[24..44])
        .chain(&bytes[60..]);
    (!rest && reserved.clone().all(|b| *b == 0)).then_some(list)
}
