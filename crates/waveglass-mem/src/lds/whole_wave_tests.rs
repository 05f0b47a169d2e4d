//! The fast paths of whole waves against accesses of one lane at a time.

use crate::access::{Element, Lanes, Port, Row};
use crate::lds::Lds;
use crate::rules::{Generation, Rules};

fn random(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    *state >> 33
}

#[test]
fn whole_waves_access_lds_as_single_lanes_do() {
    let mut s = 1;
    let elements = [
        Element::B32,
        Element::B64,
        Element::B96,
        Element::B128,
        Element::U16,
    ];
    for round in 0..20_000 {
        let size = [0, 3, 64, 1000, 4096][random(&mut s) as usize % 5];
        let lanes = [32, 64][random(&mut s) as usize % 2];
        let element = elements[random(&mut s) as usize % 5];
        let start = random(&mut s) as u32 % (size + 8);
        let step = [4, element.bytes(), 0, 1, 1 << 30][random(&mut s) as usize % 5];
        let spread = random(&mut s).is_multiple_of(3);
        let at: Vec<u32> = (0..lanes as u32)
            .map(|lane| {
                if spread {
                    random(&mut s) as u32 % (size + 4)
                } else {
                    start.wrapping_add(lane.wrapping_mul(step))
                }
            })
            .collect();
        let exec = if random(&mut s).is_multiple_of(4) {
            random(&mut s) << 32 | random(&mut s)
        } else {
            u64::MAX
        };
        let generation = [Generation::Gcn5, Generation::Rdna4][random(&mut s) as usize % 2];
        let rules = Rules::new(generation);
        let rows = element.dwords() * lanes / 32;
        let mut row = || -> Row { std::array::from_fn(|_| random(&mut s) as u32) };
        let data: Vec<Row> = (0..rows).map(|_| row()).collect();

        let (mut whole, mut single) = (Lds::new(size), Lds::new(size));
        let (mut port, mut each) = (Port::new(rules), Port::new(rules));
        whole.store(Lanes::new(&at, exec), element, &data, &mut port);
        for lane in 0..lanes {
            single.store(Lanes::new(&at, exec & 1 << lane), element, &data, &mut each);
        }
        assert_eq!(whole.bytes(), single.bytes(), "{round} {element:?} {at:x?}");
        let (mut one, mut other) = (data.clone(), data);
        whole.load(Lanes::new(&at, exec), element, &mut one, &mut port);
        for lane in 0..lanes {
            single.load(
                Lanes::new(&at, exec & 1 << lane),
                element,
                &mut other,
                &mut each,
            );
        }
        assert_eq!(one, other, "{round} {element:?} {at:x?}");
        assert_eq!(port.faults, each.faults);
    }
}
