//! Sources that llvm-mc-22 refuses, each beside one that it takes.

use waveglass_asm::{AssembleOptions, Assembled, Diagnostics, assemble};
use waveglass_isa::Target;

fn asm(target: Target, source: &str) -> Result<Assembled, Diagnostics> {
    assemble(source, target, &AssembleOptions::default())
}

fn findings(target: Target, source: &str) -> Vec<String> {
    let list = asm(target, source).map_or_else(|d| d.list, |_| Vec::new());
    list.iter()
        .map(|d| format!("{}:{}: {}", d.line, d.column, d.message))
        .collect()
}

#[test]
fn the_xnack_mask_agrees_with_the_target_id() {
    let source = |id: &str, reserve: u32| {
        format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{id}\"\n.globl k\n.type k,@function\nk: s_endpgm\n\
             .rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 4\n\
             .amdhsa_next_free_sgpr 8\n.amdhsa_reserve_xnack_mask {reserve}\n.end_amdhsa_kernel"
        )
    };
    // XNACK on or any reserves the mask, off does not (llvm-mc-22 says the same).
    for (id, reserve) in [("gfx900:xnack+", 1), ("gfx900", 1), ("gfx900:xnack-", 0)] {
        assert!(asm(Target::Gfx900, &source(id, reserve)).is_ok(), "{id}");
        assert_eq!(
            findings(Target::Gfx900, &source(id, 1 - reserve)),
            ["10:1: .amdhsa_reserve_xnack_mask does not match target id"]
        );
    }
    assert!(asm(Target::Gfx1030, &source("gfx1030", 0)).is_ok());
    assert!(asm(Target::Gfx1030, &source("gfx1030", 1)).is_err());
}

#[test]
fn short_addresses_of_ray_intersections_are_named() {
    let one = |text: &str| asm(Target::Gfx1030, text).is_ok();
    assert!(one("image_bvh_intersect_ray v[4:7], v[9:16], s[4:7] a16"));
    assert!(!one("image_bvh_intersect_ray v[4:7], v[9:16], s[4:7]"));
    assert!(one("image_bvh_intersect_ray v[4:7], v[9:19], s[4:7]"));
    assert!(!one("image_bvh_intersect_ray v[4:7], v[9:19], s[4:7] a16"));
}
