//! What memory the process has mapped.

use waveglass_mem::Permission;

use crate::LaunchError;

/// A range of the process's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mapped {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) permission: Permission,
}

/// The readable memory of this process, by address.
#[cfg(target_os = "linux")]
pub(super) fn mapped() -> Result<Vec<Mapped>, LaunchError> {
    let maps = std::fs::read_to_string("/proc/self/maps")
        .map_err(|e| LaunchError::Bad(format!("/proc/self/maps: {e}")))?;
    Ok(parse(&maps))
}

/// Other hosts are not asked.
#[cfg(not(target_os = "linux"))]
pub(super) fn mapped() -> Result<Vec<Mapped>, LaunchError> {
    Err(LaunchError::Bad(
        "all of the process's memory can be allowed on Linux only; register what the program uses"
            .into(),
    ))
}

/// Reads the format of proc_pid_maps(5); neighbours of one permission become one range.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn parse(maps: &str) -> Vec<Mapped> {
    let mut all: Vec<Mapped> = Vec::new();
    for line in maps.lines() {
        let mut fields = line.split_ascii_whitespace();
        let (Some(range), Some(access)) = (fields.next(), fields.next()) else {
            continue;
        };
        let path = fields.nth(3).unwrap_or("");
        let hex = |s| u64::from_str_radix(s, 16).ok();
        let Some((start, end)) = range
            .split_once('-')
            .and_then(|(a, b)| Some((hex(a)?, hex(b)?)))
        else {
            continue;
        };
        if !access.starts_with('r') || start >= end || !is_memory(path) {
            continue;
        }
        let permission = match access.as_bytes().get(1) {
            Some(b'w') => Permission::ReadWrite,
            _ => Permission::ReadOnly,
        };
        match all.last_mut() {
            Some(last) if last.end == start && last.permission == permission => last.end = end,
            _ => all.push(Mapped {
                start,
                end,
                permission,
            }),
        }
    }
    all
}

/// Whether a mapping is plain memory: reads of a device have effects, and parts of the kernel's own
/// pages fault in spite of their flags.
fn is_memory(path: &str) -> bool {
    let device = path.starts_with("/dev/")
        && !path.starts_with("/dev/shm/")
        && !path.starts_with("/dev/zero");
    !device && !path.starts_with("[vvar") && path != "[vsyscall]"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_and_neighbours_joined() {
        let maps = "\
00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon
00452000-00453000 r--p 00051000 08:02 173521      /usr/bin/dbus-daemon
00e03000-00e24000 rw-p 00000000 00:00 0           [heap]
00e24000-00e25000 rw-p 00000000 00:00 0
00e25000-00e26000 ---p 00000000 00:00 0
7f0000000000-7f0000001000 rw-s 00000000 00:06 42  /dev/dri/renderD128
7f0000001000-7f0000002000 rw-s 00000000 00:06 42  /dev/shm/buffer (deleted)
7ffc00000000-7ffc00004000 r--p 00000000 00:00 0   [vvar]
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]
nonsense
";
        let range = |start, end, permission| Mapped {
            start,
            end,
            permission,
        };
        assert_eq!(
            parse(maps),
            [
                range(0x40_0000, 0x45_3000, Permission::ReadOnly),
                range(0xe0_3000, 0xe2_5000, Permission::ReadWrite),
                range(0x7f00_0000_1000, 0x7f00_0000_2000, Permission::ReadWrite),
            ]
        );
    }
}
