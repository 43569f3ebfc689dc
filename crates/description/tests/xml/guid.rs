//! The GUID of our descriptions is told by the file alone.

use macrostep_description::{Builder, Declared, xml};

/// FNV-1a of 128 bits, by its definition.
fn fnv(text: &str) -> u128 {
    let mut hash = 144_066_263_297_769_815_596_495_629_667_062_367_629_u128;
    for byte in text.bytes() {
        hash ^= u128::from(byte);
        hash = hash.wrapping_mul((1 << 88) + 0x13b);
    }
    hash
}

#[test]
fn it_is_the_hash_of_the_text_without_it() {
    let mut b = Builder::new("meter", "A model");
    b.add(Declared::parameter("p", 0.1).about("any"));
    let d = b.finish().expect("legal");
    let digits: String = d.guid.chars().filter(char::is_ascii_hexdigit).collect();
    assert_eq!(digits, format!("{:032x}", fnv(&xml::write(&d).replace(&d.guid, ""))));
}
