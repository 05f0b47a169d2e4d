//! The metadata note (AMDGPUUsage, "Code Object Metadata"): a MessagePack map.

use crate::{Error, KernelDescriptor, Limits, Result};
use rmpv::Value;

/// Nesting that real metadata stays far below.
const MAX_DEPTH: usize = 16;

macro_rules! value_kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// What the launcher puts into an argument (`.value_kind`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ValueKind { $($(#[$doc])* $name,)* }
        impl ValueKind {
            /// The name in the metadata.
            pub fn name(self) -> &'static str {
                match self { $(ValueKind::$name => $text,)* }
            }
            /// The kind of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(ValueKind::$name),)* _ => None }
            }
        }
    };
}

value_kinds! {
    /// The bytes of the argument.
    ByValue = "by_value";
    /// A global pointer.
    GlobalBuffer = "global_buffer";
    /// An LDS pointer to dynamically allocated memory.
    DynamicSharedPointer = "dynamic_shared_pointer";
    /// A pointer to an S#.
    Sampler = "sampler";
    /// A pointer to a T#.
    Image = "image";
    /// A pointer to an OpenCL pipe.
    Pipe = "pipe";
    /// A pointer to an OpenCL queue.
    Queue = "queue";
    /// Global offset X of the grid.
    HiddenGlobalOffsetX = "hidden_global_offset_x";
    /// Global offset Y of the grid.
    HiddenGlobalOffsetY = "hidden_global_offset_y";
    /// Global offset Z of the grid.
    HiddenGlobalOffsetZ = "hidden_global_offset_z";
    /// Not used.
    HiddenNone = "hidden_none";
    /// The printf buffer.
    HiddenPrintfBuffer = "hidden_printf_buffer";
    /// The hostcall buffer.
    HiddenHostcallBuffer = "hidden_hostcall_buffer";
    /// The default OpenCL device queue.
    HiddenDefaultQueue = "hidden_default_queue";
    /// The completion action of enqueued kernels.
    HiddenCompletionAction = "hidden_completion_action";
    /// Synchronisation over several grids.
    HiddenMultigridSyncArg = "hidden_multigrid_sync_arg";
    /// Whole workgroups in X (V5).
    HiddenBlockCountX = "hidden_block_count_x";
    /// Whole workgroups in Y (V5).
    HiddenBlockCountY = "hidden_block_count_y";
    /// Whole workgroups in Z (V5).
    HiddenBlockCountZ = "hidden_block_count_z";
    /// Work-items of a workgroup in X (V5).
    HiddenGroupSizeX = "hidden_group_size_x";
    /// Work-items of a workgroup in Y (V5).
    HiddenGroupSizeY = "hidden_group_size_y";
    /// Work-items of a workgroup in Z (V5).
    HiddenGroupSizeZ = "hidden_group_size_z";
    /// Work-items of the partial workgroup in X (V5).
    HiddenRemainderX = "hidden_remainder_x";
    /// Work-items of the partial workgroup in Y (V5).
    HiddenRemainderY = "hidden_remainder_y";
    /// Work-items of the partial workgroup in Z (V5).
    HiddenRemainderZ = "hidden_remainder_z";
    /// Dimensions of the grid, 1 to 3 (V5).
    HiddenGridDims = "hidden_grid_dims";
    /// The device heap (V5).
    HiddenHeapV1 = "hidden_heap_v1";
    /// Bytes of dynamic LDS (V5).
    HiddenDynamicLdsSize = "hidden_dynamic_lds_size";
    /// High half of the private aperture (V5, gfx8).
    HiddenPrivateBase = "hidden_private_base";
    /// High half of the shared aperture (V5, gfx8).
    HiddenSharedBase = "hidden_shared_base";
    /// The HSA queue (V5).
    HiddenQueuePtr = "hidden_queue_ptr";
}

impl ValueKind {
    /// Whether the launcher fills it in, rather than the user.
    pub fn is_hidden(self) -> bool {
        self.name().starts_with("hidden_")
    }
}

/// A kernel argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// `.name`, if the compiler kept it.
    pub name: Option<String>,
    /// `.type_name`.
    pub type_name: Option<String>,
    /// `.offset` in the kernarg segment, in bytes.
    pub offset: u32,
    /// `.size` in bytes.
    pub size: u32,
    /// `.value_kind`.
    pub kind: ValueKind,
    /// `.address_space`.
    pub address_space: Option<String>,
    /// `.access`.
    pub access: Option<String>,
    /// `.actual_access`.
    pub actual_access: Option<String>,
    /// `.pointee_align` in bytes.
    pub pointee_align: Option<u32>,
    /// `.is_const`.
    pub is_const: bool,
    /// `.is_restrict`.
    pub is_restrict: bool,
    /// `.is_volatile`.
    pub is_volatile: bool,
    /// `.is_pipe`.
    pub is_pipe: bool,
}

/// Metadata of one kernel. Keys that are not listed here are ignored, as AMDGPUUsage allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMetadata {
    /// `.name`.
    pub name: String,
    /// `.symbol`: the descriptor's symbol.
    pub symbol: String,
    /// `.language`.
    pub language: Option<String>,
    /// `.kind`: `normal` (also where it is left out), `init` or `fini`.
    pub kind: Option<String>,
    /// `.kernarg_segment_size` in bytes.
    pub kernarg_segment_size: u32,
    /// `.kernarg_segment_align` in bytes.
    pub kernarg_segment_align: u32,
    /// `.group_segment_fixed_size`: LDS in bytes.
    pub group_segment_fixed_size: u32,
    /// `.private_segment_fixed_size`: scratch of a work-item in bytes.
    pub private_segment_fixed_size: u32,
    /// `.wavefront_size`.
    pub wavefront_size: u32,
    /// `.sgpr_count`.
    pub sgpr_count: u32,
    /// `.vgpr_count`.
    pub vgpr_count: u32,
    /// `.agpr_count`, where there are AGPRs.
    pub agpr_count: Option<u32>,
    /// `.max_flat_workgroup_size` in work-items.
    pub max_flat_workgroup_size: u32,
    /// `.reqd_workgroup_size`; `None` also for 0, 0, 0.
    pub reqd_workgroup_size: Option<[u32; 3]>,
    /// `.cluster_dims` (V6).
    pub cluster_dims: Option<[u32; 3]>,
    /// `.uniform_work_group_size`: no partial workgroups.
    pub uniform_work_group_size: bool,
    /// `.uses_dynamic_stack`.
    pub uses_dynamic_stack: bool,
    /// `.workgroup_processor_mode` (gfx10 and later).
    pub workgroup_processor_mode: Option<bool>,
    /// `.args`, by ascending offset.
    pub args: Vec<Argument>,
}

/// The metadata note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Offset of the note's contents in the file.
    pub offset: u64,
    /// `amdhsa.version`: 1.0 for V3, 1.1 for V4, 1.2 for V5 and V6.
    pub version: (u32, u32),
    /// `amdhsa.target`.
    pub target: Option<String>,
    /// `amdhsa.printf`.
    pub printf: Vec<String>,
    /// `amdhsa.kernels`.
    pub kernels: Vec<KernelMetadata>,
}

/// A map with the place it came from, for errors.
struct Map<'a> {
    entries: &'a [(Value, Value)],
    path: String,
    offset: u64,
}

impl<'a> Map<'a> {
    fn new(value: &'a Value, path: String, offset: u64) -> Result<Self> {
        match value {
            Value::Map(entries) => Ok(Map {
                entries,
                path,
                offset,
            }),
            _ => Err(Error::Metadata {
                offset,
                path,
                what: "is not a map".into(),
            }),
        }
    }

    fn path(&self, key: &str) -> String {
        let key = key.trim_start_matches('.');
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    fn error(&self, key: &str, what: impl Into<String>) -> Error {
        Error::Metadata {
            offset: self.offset,
            path: self.path(key),
            what: what.into(),
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.entries
            .iter()
            .find(|(k, _)| k.as_str() == Some(key))
            .map(|(_, v)| v)
    }

    fn convert<T>(
        &self,
        key: &str,
        what: &str,
        f: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.get(key) {
            None => Ok(None),
            Some(v) => f(v)
                .map(Some)
                .ok_or_else(|| self.error(key, format!("is not {what}"))),
        }
    }

    fn required<T>(&self, key: &str, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| self.error(key, "is required but missing"))
    }

    fn text(&self, key: &str) -> Result<Option<String>> {
        self.convert(key, "a string", |v| v.as_str().map(str::to_owned))
    }

    fn number(&self, key: &str) -> Result<Option<u32>> {
        self.convert(key, "an integer of 32 bits", |v| {
            v.as_u64().and_then(|n| n.try_into().ok())
        })
    }

    fn flag(&self, key: &str) -> Result<bool> {
        Ok(self
            .convert(key, "a boolean", Value::as_bool)?
            .unwrap_or(false))
    }

    fn array(&self, key: &str) -> Result<Option<&'a [Value]>> {
        self.convert(key, "an array", |v| v.as_array().map(Vec::as_slice))
    }

    fn triple(&self, key: &str) -> Result<Option<[u32; 3]>> {
        self.convert(key, "an array of three integers", |v| {
            let numbers: Option<Vec<u32>> = v
                .as_array()?
                .iter()
                .map(|n| n.as_u64()?.try_into().ok())
                .collect();
            numbers?.try_into().ok()
        })
    }
}

impl Metadata {
    /// Reads the contents of a note that lies at `offset`.
    pub(crate) fn parse(note: &[u8], offset: u64, limits: &Limits) -> Result<Self> {
        if note.len() as u64 > limits.metadata {
            return Err(Error::TooLarge {
                offset,
                what: "metadata note",
                size: note.len() as u64,
                limit: limits.metadata,
            });
        }
        let value =
            rmpv::decode::read_value_with_max_depth(&mut &note[..], MAX_DEPTH).map_err(|e| {
                Error::Metadata {
                    offset,
                    path: "note".into(),
                    what: format!("bad MessagePack: {e}"),
                }
            })?;
        let top = Map::new(&value, String::new(), offset)?;
        let version = top.required("amdhsa.version", top.array("amdhsa.version")?)?;
        let version = match version {
            [major, minor] => major.as_u64().zip(minor.as_u64()),
            _ => None,
        };
        let version = version
            .and_then(|(a, b)| Some((a.try_into().ok()?, b.try_into().ok()?)))
            .ok_or_else(|| top.error("amdhsa.version", "is not two integers"))?;
        if version.0 != 1 {
            return Err(top.error(
                "amdhsa.version",
                format!("major version {} is not known", version.0),
            ));
        }
        let mut printf = Vec::new();
        for (i, v) in top
            .array("amdhsa.printf")?
            .unwrap_or(&[])
            .iter()
            .enumerate()
        {
            let text = v
                .as_str()
                .ok_or_else(|| top.error(&format!("amdhsa.printf[{i}]"), "is not a string"))?;
            printf.push(text.to_owned());
        }
        let list = top.required("amdhsa.kernels", top.array("amdhsa.kernels")?)?;
        let mut kernels: Vec<KernelMetadata> = Vec::with_capacity(list.len());
        let mut seen = std::collections::HashSet::new();
        for (i, v) in list.iter().enumerate() {
            let map = Map::new(v, format!("amdhsa.kernels[{i}]"), offset)?;
            let kernel = kernel(&map)?;
            if !seen.insert(kernel.symbol.clone()) {
                return Err(map.error(".symbol", format!("`{}` appears twice", kernel.symbol)));
            }
            kernels.push(kernel);
        }
        Ok(Metadata {
            offset,
            version,
            target: top.text("amdhsa.target")?,
            printf,
            kernels,
        })
    }
}

fn kernel(map: &Map<'_>) -> Result<KernelMetadata> {
    let number = |key| map.required(key, map.number(key)?);
    let size = number(".kernarg_segment_size")?;
    let align = number(".kernarg_segment_align")?;
    if !align.is_power_of_two() {
        return Err(map.error(
            ".kernarg_segment_align",
            format!("{align} is not a power of two"),
        ));
    }
    let wave = number(".wavefront_size")?;
    if !matches!(wave, 32 | 64) {
        return Err(map.error(".wavefront_size", format!("{wave} is neither 32 nor 64")));
    }
    let most = number(".max_flat_workgroup_size")?;
    let required = map.triple(".reqd_workgroup_size")?.filter(|r| *r != [0; 3]);
    if let Some(r) = required {
        let product = r
            .iter()
            .try_fold(1u32, |a, &b| a.checked_mul(b))
            .unwrap_or(u32::MAX);
        if product == 0 || product > most {
            return Err(map.error(
                ".reqd_workgroup_size",
                format!("{r:?} does not go with a maximum of {most} work-items"),
            ));
        }
    }
    let mut args = Vec::new();
    for (i, v) in map.array(".args")?.unwrap_or(&[]).iter().enumerate() {
        args.push(argument(
            &Map::new(v, format!("{}.args[{i}]", map.path), map.offset)?,
            size,
        )?);
    }
    args.sort_by_key(|a| a.offset);
    if let Some(w) = args
        .windows(2)
        .find(|w| u64::from(w[0].offset) + u64::from(w[0].size) > w[1].offset.into())
    {
        return Err(map.error(
            ".args",
            format!(
                "arguments at offsets {} and {} overlap",
                w[0].offset, w[1].offset
            ),
        ));
    }
    Ok(KernelMetadata {
        name: map.required(".name", map.text(".name")?)?,
        symbol: map.required(".symbol", map.text(".symbol")?)?,
        language: map.text(".language")?,
        kind: map.text(".kind")?,
        kernarg_segment_size: size,
        kernarg_segment_align: align,
        group_segment_fixed_size: number(".group_segment_fixed_size")?,
        private_segment_fixed_size: number(".private_segment_fixed_size")?,
        wavefront_size: wave,
        sgpr_count: number(".sgpr_count")?,
        vgpr_count: number(".vgpr_count")?,
        agpr_count: map.number(".agpr_count")?,
        max_flat_workgroup_size: most,
        reqd_workgroup_size: required,
        cluster_dims: map.triple(".cluster_dims")?,
        uniform_work_group_size: map.number(".uniform_work_group_size")?.unwrap_or(0) == 1,
        uses_dynamic_stack: map.flag(".uses_dynamic_stack")?,
        // clang writes it as an integer, AMDGPUUsage calls it a boolean.
        workgroup_processor_mode: map.convert(".workgroup_processor_mode", "a boolean", |v| {
            v.as_bool().or_else(|| v.as_u64().map(|n| n != 0))
        })?,
        args,
    })
}

fn argument(map: &Map<'_>, segment: u32) -> Result<Argument> {
    let offset = map.required(".offset", map.number(".offset")?)?;
    let size = map.required(".size", map.number(".size")?)?;
    if u64::from(offset) + u64::from(size) > segment.into() {
        return Err(map.error(
            ".offset",
            format!("{offset} and size {size} pass the kernarg segment of {segment} bytes"),
        ));
    }
    let name = map.required(".value_kind", map.text(".value_kind")?)?;
    let kind = ValueKind::from_name(&name)
        .ok_or_else(|| map.error(".value_kind", format!("`{name}` is not a known kind")))?;
    Ok(Argument {
        name: map.text(".name")?,
        type_name: map.text(".type_name")?,
        offset,
        size,
        kind,
        address_space: map.text(".address_space")?,
        access: map.text(".access")?,
        actual_access: map.text(".actual_access")?,
        pointee_align: map.number(".pointee_align")?,
        is_const: map.flag(".is_const")?,
        is_restrict: map.flag(".is_restrict")?,
        is_volatile: map.flag(".is_volatile")?,
        is_pipe: map.flag(".is_pipe")?,
    })
}

impl KernelMetadata {
    /// Checks what metadata and descriptor both say. LDS and scratch sizes may differ in
    /// hand-written assembly, where the descriptor is what counts.
    pub(crate) fn agree(&self, d: &KernelDescriptor, offset: u64) -> Result<()> {
        let error = |key: &str, ours: u32, theirs: u32| Error::Metadata {
            offset,
            path: format!("kernel `{}` {key}", self.name),
            what: format!("{ours}, but the kernel descriptor says {theirs}"),
        };
        if self.wavefront_size != d.wavefront_size() {
            return Err(error(
                ".wavefront_size",
                self.wavefront_size,
                d.wavefront_size(),
            ));
        }
        if d.kernarg_size != 0 && d.kernarg_size != self.kernarg_segment_size {
            return Err(error(
                ".kernarg_segment_size",
                self.kernarg_segment_size,
                d.kernarg_size,
            ));
        }
        Ok(())
    }
}
