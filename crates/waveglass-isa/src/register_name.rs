//! The names of registers, as assembly and the manuals write them.

use std::fmt;

use crate::{Half, Reg, RegFile};

impl fmt::Display for Reg {
    /// `v1`, `s[2:3]`, `vcc_lo`, `exec`, `v7.h`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = match self.file {
            RegFile::Vgpr => "v",
            RegFile::Agpr => "a",
            RegFile::Sgpr => "s",
            RegFile::Ttmp => "ttmp",
            _ => return f.write_str(&special(self)),
        };
        match self.dwords {
            0 | 1 => write!(f, "{numbered}{}", self.index)?,
            n => write!(
                f,
                "{numbered}[{}:{}]",
                self.index,
                self.index + n as u16 - 1
            )?,
        }
        match self.half {
            Some(Half::Lo) => f.write_str(".l"),
            Some(Half::Hi) => f.write_str(".h"),
            None => Ok(()),
        }
    }
}

fn special(reg: &Reg) -> String {
    let (name, has_halves) = match reg.file {
        RegFile::Vcc => ("vcc", true),
        RegFile::Exec => ("exec", true),
        RegFile::FlatScratch => ("flat_scratch", true),
        RegFile::XnackMask => ("xnack_mask", true),
        RegFile::FlatScratchBase => ("src_flat_scratch_base", true),
        RegFile::M0 => ("m0", false),
        RegFile::Null => ("null", false),
        RegFile::Scc => ("scc", false),
        RegFile::Vccz => ("vccz", false),
        RegFile::Execz => ("execz", false),
        RegFile::SharedBase => ("src_shared_base", false),
        RegFile::SharedLimit => ("src_shared_limit", false),
        RegFile::PrivateBase => ("src_private_base", false),
        RegFile::PrivateLimit => ("src_private_limit", false),
        RegFile::PopsExitingWaveId => ("src_pops_exiting_wave_id", false),
        RegFile::LdsDirect => ("lds_direct", false),
        RegFile::Vgpr | RegFile::Agpr | RegFile::Sgpr | RegFile::Ttmp => ("", false),
    };
    let half = match (has_halves && reg.dwords <= 1, reg.index & 1) {
        (true, 0) => "_lo",
        (true, _) => "_hi",
        (false, _) => "",
    };
    format!("{name}{half}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_the_names_of_assembly() {
        let name = |file, index, dwords| Reg::new(file, index, dwords).to_string();
        assert_eq!(name(RegFile::Vgpr, 1, 1), "v1");
        assert_eq!(name(RegFile::Sgpr, 4, 4), "s[4:7]");
        assert_eq!(name(RegFile::Vcc, 0, 1), "vcc_lo");
        assert_eq!(name(RegFile::Exec, 1, 1), "exec_hi");
        assert_eq!(name(RegFile::Exec, 0, 2), "exec");
        let half = Reg {
            half: Some(Half::Hi),
            ..Reg::new(RegFile::Vgpr, 7, 1)
        };
        assert_eq!(half.to_string(), "v7.h");
    }
}
