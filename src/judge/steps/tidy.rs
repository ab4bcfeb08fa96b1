//! Step 4: the paths of known URLs that are not plain.
//!
//! Three quarters of them have a fragment, a CR at the end, or bytes and escapes that the dialect's normal form keeps: these join
//! the plain ones. In blocks, this step takes 16 instructions a line; byte by byte, it took 50.

use crate::judge::isa::{BLOCK, Isa, Kernel};
use crate::judge::space::Space;
use crate::judge::text_urls::{PADDING, Readable};
use crate::judge::view::Judge;
use crate::origin;
use crate::rules::KeptBytes;

/// Step 4.
pub(in crate::judge) struct TidyStep<'a, 'p> {
    pub space: &'a mut Space,
    pub judge: &'a Judge<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for TidyStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let TidyStep { space, judge, urls } = self;
        let kept = judge.policy().dialect().encoding.kept_bytes();
        let mut left = 0;
        for place in 0..space.untidy.count {
            let url = space.untidy.items[place];
            let at = usize::from(url);
            let (start, end) = (space.paths[at] as usize, space.ends[at] as usize);
            // SAFETY: this is the path of a readable URL, and the URL's key comes before it.
            match unsafe { tidy_path_end::<I>(urls.text, start, end, kept) } {
                Ok(end) => {
                    space.ends[at] = end as u32;
                    space.known.items[space.known.count] = url;
                    space.known.count += 1;
                }
                Err(odd) => {
                    space.kept[at] = (odd - start) as u32;
                    space.untidy.items[left] = url;
                    left += 1;
                }
            }
        }
        space.untidy.count = left;
    }
}

const _: () = assert!(PADDING >= BLOCK);

/// Where the path of a URL ends, given the part after its origin, if it begins with `/`, is fetched as written, and is already in
/// normal form. Otherwise, how far it is in normal form at least.
///
/// # Safety
///
/// Callers must ensure that [`PADDING`] bytes can be read after `end`, and one before `start`.
#[inline(always)]
unsafe fn tidy_path_end<I: Isa>(text: &[u8], start: usize, end: usize, kept: KeptBytes) -> Result<usize, usize> {
    let (mut end, mut at, mut may_have_dots) = (end, start, false);
    while at < end {
        // SAFETY: fewer than `PADDING` bytes are read after the end.
        let block = unsafe { &*text.as_ptr().add(at - 1).cast::<[u8; 1 + BLOCK]>() };
        let (line_ends, looks) = I::masks(block);
        let mut looks = (line_ends | looks) & u64::MAX >> (BLOCK - (end - at).min(BLOCK));
        while looks != 0 {
            let place = at + looks.trailing_zeros() as usize;
            match text[place] {
                b'#' if !text[place..end].contains(&b'\n') => {
                    end = place;
                    break;
                }
                b'\r' if text[place..end].iter().all(|&byte| byte <= b' ') => {
                    end = place;
                    break;
                }
                // An escape that is kept is that of no dot.
                b'.' => may_have_dots = true,
                b'#' | b'\r' | b'\n' | b'\t' | b'\\' => return Err(place),
                _ if !kept.have_first_of(&text[place..end]) => return Err(place),
                _ => {}
            }
            looks &= looks - 1;
        }
        at += BLOCK;
    }
    // Spaces at the end of a line are not part of its URL.
    let is_path = start < end && text[start] == b'/' && text[end - 1] > b' ';
    if is_path && !(may_have_dots && origin::has_dot_segment(&text[start..end])) { Ok(end) } else { Err(start) }
}
