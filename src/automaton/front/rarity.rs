//! How rare three consecutive bytes are in the paths of real URLs.
//!
//! Bytes are in 37 classes. For each pair of classes, a table has the information, in bits, of a byte of the second class
//! after a byte of the first: minus the binary logarithm of its frequency, counted over two million bytes of paths. The
//! triples that this table selects are in 2.4 percent of the paths of hosts that have such patterns; triples selected by the
//! frequency of single bytes are in 5.7 percent. Another table would select others, and no verdict would change.

const CLASSES: usize = 37;

/// The class of each byte: one for each lower-case letter, one for upper-case letters, one for digits, one for each of eight
/// other bytes, and a last one for the rest.
static CLASS: [u8; 256] = {
    let mut classes = [CLASSES as u8 - 1; 256];
    let mut byte = 0;
    while byte < 26 {
        classes[b'a' as usize + byte] = byte as u8;
        classes[b'A' as usize + byte] = 26;
        byte += 1;
    }
    byte = 0;
    while byte < 10 {
        classes[b'0' as usize + byte] = 27;
        byte += 1;
    }
    let others = b"/-._%=?&";
    byte = 0;
    while byte < others.len() {
        classes[others[byte] as usize] = 28 + byte as u8;
        byte += 1;
    }
    classes
};

/// The bits of a first byte, by its class, in hexadecimal.
static FIRST: &[u8; CLASSES] = b"46554665497554469444577879a74478789af";

/// The bits of a byte after another one, by the class of the other.
#[rustfmt::skip]
static NEXT: [&[u8; CLASSES]; CLASSES] = [
    b"954597585a7353a69343668858fa659acdbbf",
    b"3777399846a39739b4584bac5bc955a9aabaf",
    b"3a5937a34c547a3ab5534bcd6cea6677a8cbf",
    b"488627783aa77848d549478b7cb9438595a9e",
    b"475557697b955377933576567adb4377a78af",
    b"497834ab3ca46a2bc4745aca9cd96497b6eaf",
    b"38993b744ca58549d4585bac6acb3367b999e",
    b"49983a9a3ca78625a6726a7c7cdc4498aa8cf",
    b"5734465a9a746246854475c9a7dd86baaadef",
    b"37972a8958799926a749398a9aaa76aaecbef",
    b"389928963b869646b7376b7a6aca5378999ae",
    b"3886288a3d648a47d85568ad5aed5387ba7bf",
    b"368828ac4db35844da5a5bad7bec5586b67cf",
    b"495337394a77765ab94376bb7acd4377a8ace",
    b"7655855868744354c35446587bed65aacaacf",
    b"398738844da47935d3565ab78edb5488b769e",
    b"5869998979978588a859178a89a8566a66ddf",
    b"3845386a3b6766479744569c5cde5488a8abe",
    b"5a6839b44d787955a8435b8d8ddd2367a98ad",
    b"487939a43bc74839b446588b5bdd5378b7a8e",
    b"5545575a5b744375c333a8c778de86bacacbf",
    b"4a981a9a2cc9aa59c869ab9c7cbb65aae8caf",
    b"38883a954aa89539b7279b8d9bbb5378a8b9f",
    b"475948974aa87974a7736a7869a943369759f",
    b"57675a9a7ca56746d7478b7dc8bb2257988ad",
    b"3987388638866848a85b57aa759644799b9bf",
    b"4877487658968547855658887976657657b9e",
    b"888888aaabaaaaaaba99bbaaa8a444594b87e",
    b"45455565576555648534666a9a97dda79f7ff",
    b"4545555557755554854466597a87c9f97ffaf",
    b"5a4979c1967b8ab4d67bbcbaf7b7babcbffdf",
    b"55445675499634649545786a9a7846b9abfff",
    b"ffffffffffffffffffffffffff55fffffffff",
    b"6546645469875755b756587989858adf8fd8f",
    b"373665883a957554753446b8b98eeee6bae9f",
    b"296665665786554455443799adaed4b57dddf",
    b"4556766677765675c645477a7a7656a868cab",
];

/// The state before the first byte: no byte precedes it.
const START: usize = CLASSES;

/// The same bits as numbers; the last row is that of the first byte.
static BITS: [[u8; CLASSES]; CLASSES + 1] = {
    let mut bits = [[0; CLASSES]; CLASSES + 1];
    let mut row = 0;
    while row <= CLASSES {
        let digits = if row == START { FIRST } else { NEXT[row] };
        let mut at = 0;
        while at < CLASSES {
            bits[row][at] = if digits[at] < b'a' { digits[at] - b'0' } else { digits[at] - b'a' + 10 };
            at += 1;
        }
        row += 1;
    }
    bits
};

/// The rarity of the last three bytes of a literal, byte by byte.
#[derive(Debug)]
pub(super) struct Rarity {
    /// The class of the last byte.
    last: usize,
    /// The bits of the last two bytes.
    two: u32,
}

impl Rarity {
    /// Starts a literal.
    pub fn new() -> Rarity {
        Rarity { last: START, two: 0 }
    }

    /// Adds a byte; returns the bits of the last three bytes, or of all if there are fewer.
    #[inline]
    pub fn with(&mut self, byte: u8) -> u32 {
        let class = usize::from(CLASS[usize::from(byte)]);
        let next = u32::from(BITS[self.last][class]);
        let three = self.two + next;
        self.two = next + if self.last == START { 0 } else { u32::from(BITS[START][self.last]) };
        self.last = class;
        three
    }
}
