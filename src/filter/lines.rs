//! Lines of a chunk: where each ends, and whether its octets are plain.
//!
//! A line is *plain* if it holds nothing that needs a second look: no octet that percent-encoding could change, no
//! fragment, no control, no blank, and no `/.`. Nearly all lines are plain, and for them the path is what stands behind
//! the authority, as it stands. One pass over the chunk finds line ends and plainness together.

/// One line of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// Where it begins.
    pub start: u32,
    /// Where its LF is, or the end of the chunk.
    pub end: u32,
    /// Whether it is plain.
    pub plain: bool,
}

impl Line {
    /// The line in its chunk, without its LF.
    #[inline]
    pub fn of(self, chunk: &[u8]) -> &[u8] {
        &chunk[self.start as usize..self.end as usize]
    }
}

/// Whether an octet keeps a line from being plain, whatever stands beside it.
const fn needs_a_look(octet: u8) -> bool {
    !matches!(octet, b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~')
}

/// Finds lines, a block of octets at a time.
#[derive(Debug, Clone)]
pub(super) struct Scanner {
    at: usize,
    line_start: usize,
    plain: bool,
    /// The line ends of the current block that were not handed out yet, and the octets that need a look.
    ends: u64,
    looks: u64,
    /// Whether the octet before the next block is a slash.
    slash: bool,
    /// The start of the current block.
    block: usize,
}

const BLOCK: usize = 64;

impl Scanner {
    /// A scanner at the start of a chunk.
    pub fn new() -> Scanner {
        Scanner { at: 0, line_start: 0, plain: true, ends: 0, looks: 0, slash: false, block: 0 }
    }

    /// Fills `lines` with the next lines of `chunk`, which is at most 4 GiB long; none are left when it stays empty.
    pub fn fill(&mut self, chunk: &[u8], lines: &mut Vec<Line>, most: usize) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("bmi1") {
            // SAFETY: both features are there.
            return unsafe { self.fill_avx2(chunk, lines, most) };
        }
        self.fill_with(chunk, lines, most, masks_portable);
    }

    /// # Safety
    ///
    /// The processor has AVX2 and BMI1.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1")]
    unsafe fn fill_avx2(&mut self, chunk: &[u8], lines: &mut Vec<Line>, most: usize) {
        // SAFETY: AVX2 is there, as this function demands.
        self.fill_with(chunk, lines, most, |block| unsafe { avx2::masks(block) });
    }

    #[inline(always)]
    fn fill_with(&mut self, chunk: &[u8], lines: &mut Vec<Line>, most: usize, masks: impl Fn(&[u8; BLOCK]) -> Masks) {
        lines.clear();
        lines.reserve(most);
        while lines.len() < most {
            while self.ends != 0 && lines.len() < most {
                let bit = self.ends.trailing_zeros();
                let below = (1u64 << bit) - 1;
                self.push(self.plain && self.looks & below == 0, self.block + bit as usize, lines);
                self.plain = true;
                self.looks &= !(below | 1 << bit);
                self.ends &= self.ends - 1;
            }
            if self.ends != 0 {
                return;
            }
            self.plain &= self.looks == 0;
            self.looks = 0;
            if self.at >= chunk.len() {
                if self.line_start < chunk.len() && lines.len() < most {
                    self.push(self.plain, chunk.len(), lines);
                }
                return;
            }
            self.next_block(chunk, &masks);
        }
    }

    #[inline(always)]
    fn push(&mut self, plain: bool, end: usize, lines: &mut Vec<Line>) {
        lines.push(Line { start: self.line_start as u32, end: end as u32, plain });
        self.line_start = end + 1;
    }

    #[inline(always)]
    fn next_block(&mut self, chunk: &[u8], masks: &impl Fn(&[u8; BLOCK]) -> Masks) {
        self.block = self.at;
        let rest = &chunk[self.at..];
        let masks = match rest.first_chunk::<BLOCK>() {
            Some(block) => masks(block),
            None => {
                // Filled up with octets that mean nothing.
                let mut block = [b'a'; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                masks(&block)
            }
        };
        self.at += BLOCK;
        let behind_slash = masks.slashes << 1 | u64::from(self.slash);
        self.slash = masks.slashes >> 63 == 1;
        self.ends = masks.ends;
        self.looks = masks.looks | masks.dots & behind_slash;
    }
}

/// Whether a text without LF is plain.
pub(super) fn is_plain(text: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the feature is there.
        return unsafe { is_plain_avx2(text) };
    }
    is_plain_with(text, masks_portable)
}

/// # Safety
///
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn is_plain_avx2(text: &[u8]) -> bool {
    // SAFETY: AVX2 is there, as this function demands.
    is_plain_with(text, |block| unsafe { avx2::masks(block) })
}

#[inline(always)]
fn is_plain_with(text: &[u8], masks: impl Fn(&[u8; BLOCK]) -> Masks) -> bool {
    let mut slash = false;
    let mut is_plain = |block: &[u8; BLOCK]| {
        let masks = masks(block);
        let behind_slash = masks.slashes << 1 | u64::from(slash);
        slash = masks.slashes >> 63 == 1;
        masks.looks | masks.ends | masks.dots & behind_slash == 0
    };
    let blocks = text.chunks_exact(BLOCK);
    // Filled up with octets that mean nothing.
    let mut last = [b'a'; BLOCK];
    last[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
    blocks.map(|block| block.first_chunk().expect("a whole block")).chain([&last]).all(&mut is_plain)
}

/// Calls `each` with the place of every LF in `text`.
#[inline]
pub(super) fn for_each_end(text: &[u8], each: impl FnMut(usize)) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("bmi1") {
        // SAFETY: both features are there.
        return unsafe { for_each_end_avx2(text, each) };
    }
    memchr::memchr_iter(b'\n', text).for_each(each);
}

/// A call of memchr for each line takes 8 ns, which this does not: lines are short, and a mask of 64 octets often holds
/// one line end.
///
/// # Safety
///
/// The processor has AVX2 and BMI1.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1")]
unsafe fn for_each_end_avx2(text: &[u8], mut each: impl FnMut(usize)) {
    let blocks = text.chunks_exact(BLOCK);
    let rest = blocks.remainder();
    for (number, block) in blocks.enumerate() {
        let block = block.first_chunk().expect("a whole block");
        // SAFETY: AVX2 is there, as this function demands.
        let mut ends = unsafe { avx2::ends(block) };
        while ends != 0 {
            each(number * BLOCK + ends.trailing_zeros() as usize);
            ends &= ends - 1;
        }
    }
    let at = text.len() - rest.len();
    for end in memchr::memchr_iter(b'\n', rest) {
        each(at + end);
    }
}

/// A bit for each octet of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Masks {
    ends: u64,
    looks: u64,
    slashes: u64,
    dots: u64,
}

fn masks_portable(block: &[u8; BLOCK]) -> Masks {
    let mut masks = Masks { ends: 0, looks: 0, slashes: 0, dots: 0 };
    for (bit, &octet) in block.iter().enumerate() {
        masks.ends |= u64::from(octet == b'\n') << bit;
        masks.looks |= u64::from(needs_a_look(octet) && octet != b'\n') << bit;
        masks.slashes |= u64::from(octet == b'/') << bit;
        masks.dots |= u64::from(octet == b'.') << bit;
    }
    masks
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{BLOCK, Masks, needs_a_look};
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256,
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_setzero_si256,
        _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    /// For each low half of an ASCII octet, a bit for each high half with which it needs a look.
    const LOOKS: [u8; 16] = {
        let mut table = [0; 16];
        let mut octet = 0;
        while octet < 128 {
            if needs_a_look(octet) && octet != b'\n' {
                table[(octet & 15) as usize] |= 1 << (octet >> 4);
            }
            octet += 1;
        }
        table
    };
    /// The bit of each high half of an ASCII octet.
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

    /// # Safety
    ///
    /// The processor has AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn masks(block: &[u8; BLOCK]) -> Masks {
        // SAFETY: both loads are within the block of 64 octets; the rest is AVX2, as this function demands.
        unsafe {
            let low = half_masks(_mm256_loadu_si256(block.as_ptr().cast()));
            let high = half_masks(_mm256_loadu_si256(block.as_ptr().add(32).cast()));
            let both = |at: usize| u64::from(low[at]) | u64::from(high[at]) << 32;
            Masks { ends: both(0), looks: both(1) & !both(0), slashes: both(2), dots: both(3) }
        }
    }

    /// The line ends of a block.
    ///
    /// # Safety
    ///
    /// The processor has AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn ends(block: &[u8; BLOCK]) -> u64 {
        // SAFETY: both loads are within the block of 64 octets; the rest is AVX2, as this function demands.
        unsafe {
            let low = _mm256_loadu_si256(block.as_ptr().cast());
            let high = _mm256_loadu_si256(block.as_ptr().add(32).cast());
            let line_feed = _mm256_set1_epi8(b'\n' as i8);
            let low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(low, line_feed)) as u32;
            let high = _mm256_movemask_epi8(_mm256_cmpeq_epi8(high, line_feed)) as u32;
            u64::from(low) | u64::from(high) << 32
        }
    }

    /// The masks of 32 octets: line ends, octets that need a look, slashes, dots.
    ///
    /// # Safety
    ///
    /// The processor has AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    #[allow(unused_unsafe)]
    unsafe fn half_masks(octets: __m256i) -> [u32; 4] {
        // SAFETY: the tables are of 16 octets, as the loads read; the rest is AVX2, as this function demands.
        unsafe {
            let by_low = _mm256_broadcastsi128_si256(_mm_loadu_si128(LOOKS.as_ptr().cast::<__m128i>()));
            let by_high = _mm256_broadcastsi128_si256(_mm_loadu_si128(BITS.as_ptr().cast::<__m128i>()));
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(octets), _mm256_set1_epi8(15));
            // A shuffle gives 0 for octets beyond ASCII; their upper bit tells them.
            let found = _mm256_and_si256(_mm256_shuffle_epi8(by_low, octets), _mm256_shuffle_epi8(by_high, upper));
            let nothing_found = _mm256_cmpeq_epi8(found, _mm256_setzero_si256());
            let plain = _mm256_movemask_epi8(_mm256_andnot_si256(octets, nothing_found)) as u32;
            let ends = _mm256_movemask_epi8(_mm256_cmpeq_epi8(octets, _mm256_set1_epi8(b'\n' as i8))) as u32;
            let slashes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(octets, _mm256_set1_epi8(b'/' as i8))) as u32;
            let dots = _mm256_movemask_epi8(_mm256_cmpeq_epi8(octets, _mm256_set1_epi8(b'.' as i8))) as u32;
            [ends, !plain, slashes, dots]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], most: usize) -> Vec<Line> {
        let (mut scanner, mut all, mut some) = (Scanner::new(), Vec::new(), Vec::new());
        loop {
            scanner.fill(text, &mut some, most);
            if some.is_empty() {
                return all;
            }
            all.append(&mut some);
        }
    }

    #[test]
    fn line_ends_are_found_in_texts_of_any_length() {
        for length in 0..300 {
            let text: Vec<u8> = (0..length).map(|at| if at * 7 % 11 < 2 { b'\n' } else { b'a' }).collect();
            let mut found = Vec::new();
            for_each_end(&text, |end| found.push(end));
            assert_eq!(found, memchr::memchr_iter(b'\n', &text).collect::<Vec<_>>());
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn wide_masks_are_those_of_the_portable_way() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        for shift in 0..=255u8 {
            let block: [u8; BLOCK] = std::array::from_fn(|at| (at as u8).wrapping_mul(7).wrapping_add(shift));
            // SAFETY: AVX2 was detected.
            assert_eq!(unsafe { avx2::masks(&block) }, masks_portable(&block));
        }
    }

    fn naive(text: &[u8]) -> Vec<Line> {
        let mut all = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|&octet| octet == b'\n') {
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let plain =
                !content.iter().any(|&octet| needs_a_look(octet)) && memchr::memmem::find(content, b"/.").is_none();
            all.push(Line { start, end: start + content.len() as u32, plain });
            start += line.len() as u32;
        }
        all
    }

    #[test]
    fn lines_are_those_of_the_plain_way() {
        let pieces: [&[u8]; 12] = [
            b"",
            b"http://a.example/x",
            b"\n",
            b"\n\n",
            b"/.",
            b"a/",
            b"./",
            b"%41",
            b"#",
            b"\r\n",
            b"0123456789abcdef0123",
            b"\xff",
        ];
        let mut state = 1u64;
        for round in 0..3000 {
            let mut text = Vec::new();
            for _ in 0..round % 40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.extend_from_slice(pieces[(state >> 33) as usize % pieces.len()]);
            }
            for most in [1, 3, 128] {
                assert_eq!(lines(&text, most), naive(&text), "{:?}", String::from_utf8_lossy(&text));
            }
        }
    }

    #[test]
    fn a_text_is_plain_if_its_line_is() {
        let path = "/0123456789abcdef".repeat(12);
        for length in 0..path.len() {
            let plain = &path.as_bytes()[..length];
            assert!(is_plain(plain), "{length}");
            for at in 0..length {
                for octet in *b"#. \n" {
                    let mut text = plain.to_vec();
                    text[at] = octet;
                    let line = octet != b'\n' && naive(&text)[0].plain;
                    assert_eq!(is_plain(&text), line, "{}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn what_needs_a_look_covers_what_encodings_change() {
        use crate::dialect::Dialect;
        for dialect in Dialect::ALL {
            for octet in (0..=255).filter(|&octet| dialect.encoding.changed_octets().contains(octet)) {
                assert!(needs_a_look(octet), "{octet} {}", dialect.name);
            }
        }
        for octet in *b"#\r\n\t \\" {
            assert!(needs_a_look(octet));
        }
    }
}
