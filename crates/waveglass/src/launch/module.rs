//! Modules: files with kernels, as they are loaded.

use super::{Contents, Grid, Launch, LaunchError, Module};
use waveglass_exec::{Exceptions, Limits, MemoryConfig, Watch};
use waveglass_isa::Target;
use waveglass_object::{CodeObject, Feature, File};

impl Module {
    /// Reads a code object, or picks the one for `target` from a fat binary. Bytes that are
    /// neither are taken as raw code where `target` says for what.
    ///
    /// # Errors
    ///
    /// [`LaunchError`]: a malformed file, an unknown target, or a choice that is left open.
    pub fn load(bytes: &[u8], target: Option<&str>) -> Result<Self, LaunchError> {
        let gfx = target.map(|t| t.split(':').next().unwrap_or(t));
        let looks_raw = !bytes.starts_with(b"\x7fELF")
            && !bytes.starts_with(b"__CLANG_OFFLOAD_BUNDLE__")
            && !bytes.starts_with(b"CCOB")
            && !bytes.starts_with(&[0x10, 0xff, 0x10, 0xad]);
        if looks_raw && let Some(gfx) = gfx {
            return Self::raw(bytes.to_vec(), gfx);
        }
        let mut objects = File::parse(bytes)?.code_objects(target)?;
        let choices = objects.iter().map(|o| o.target().to_string()).collect();
        match objects.len() {
            1 => Self::from_object(objects.swap_remove(0)),
            0 => Err(LaunchError::Choose {
                what: format!(
                    "the file has no code for {}",
                    target.unwrap_or("any target")
                ),
                choices: File::parse(bytes)?
                    .code_objects(None)
                    .map(|all| all.iter().map(|o| o.target().to_string()).collect())
                    .unwrap_or_default(),
            }),
            _ => Err(LaunchError::Choose {
                what: "the file has code for several targets; choose one with --target".into(),
                choices,
            }),
        }
    }

    /// Takes a code object that is already read.
    ///
    /// # Errors
    ///
    /// [`LaunchError::UnknownTarget`].
    pub fn from_object(object: CodeObject) -> Result<Self, LaunchError> {
        let gfx = object.target().gfx;
        let target = gfx.parse().map_err(|_| LaunchError::UnknownTarget {
            gfx: gfx.to_owned(),
        })?;
        Ok(Self {
            code: Contents::Object(Box::new(object)),
            target,
            wave_size: target.default_wave_size(),
        })
    }

    /// Takes machine code without a container. Its waves start at the first byte with the kernarg
    /// address in `s[0:1]`, the workgroup ids in s2 to s4 (TTMP registers on gfx12), the work-item
    /// ids as the target has them, and every register there is.
    ///
    /// # Errors
    ///
    /// [`LaunchError::UnknownTarget`].
    pub fn raw(code: Vec<u8>, gfx: &str) -> Result<Self, LaunchError> {
        let target = gfx.parse().map_err(|_| LaunchError::UnknownTarget {
            gfx: gfx.to_owned(),
        })?;
        Ok(Self {
            code: Contents::Raw(code),
            target,
            wave_size: target.default_wave_size(),
        })
    }

    /// Whether the processor runs with SRAM error correction, where the target has that: as the code
    /// object needs it; on where it takes either or is raw code, since accelerators run so. (V3 code
    /// objects say on or off.)
    pub(crate) fn sramecc(&self) -> bool {
        match &self.code {
            Contents::Object(object) => {
                matches!(object.target().sramecc, Feature::On | Feature::Any)
            }
            Contents::Raw(_) => true,
        }
    }

    /// Sets the wave size of raw code; code objects carry their own.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Bad`] where the target has no such waves.
    pub fn with_wave_size(mut self, lanes: u32) -> Result<Self, LaunchError> {
        let has = match lanes {
            32 => self.target.has_wave32(),
            64 => self.target.has_wave64(),
            _ => false,
        };
        if !has {
            return Err(LaunchError::Bad(format!(
                "{} has no waves of {lanes} lanes",
                self.target
            )));
        }
        self.wave_size = lanes;
        Ok(self)
    }

    /// The target.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The code object; raw code has none.
    pub fn object(&self) -> Option<&CodeObject> {
        match &self.code {
            Contents::Object(o) => Some(o),
            Contents::Raw(_) => None,
        }
    }

    /// The names of the kernels.
    pub fn kernels(&self) -> Vec<&str> {
        match &self.code {
            Contents::Object(o) => o.kernels().iter().map(|k| k.name.as_str()).collect(),
            Contents::Raw(_) => vec!["raw"],
        }
    }

    /// Starts a launch of `kernel`; of the only one where that is `None`.
    ///
    /// # Errors
    ///
    /// [`LaunchError::Choose`] when there is no such kernel, or several and none is named.
    pub fn launch(&self, kernel: Option<&str>) -> Result<Launch<'_>, LaunchError> {
        let all = self.kernels();
        let name = match kernel {
            Some(k) if all.contains(&k) => k,
            None if all.len() == 1 => all[0],
            _ => {
                return Err(LaunchError::Choose {
                    what: match kernel {
                        Some(k) => format!("there is no kernel {k:?} in the file"),
                        None => "the file has several kernels; choose one with --kernel".into(),
                    },
                    choices: all.iter().map(|s| (*s).to_owned()).collect(),
                });
            }
        };
        Ok(Launch {
            module: self,
            kernel: name.to_owned(),
            grid: Grid::Groups([1; 3]),
            block: [1; 3],
            args: Vec::new(),
            dynamic_lds: 0,
            limits: Limits::default(),
            watch: Watch::default(),
            trap_handler: None,
            exceptions: Exceptions::NONE,
            memory: MemoryConfig::default(),
            ordered_append: false,
        })
    }
}
