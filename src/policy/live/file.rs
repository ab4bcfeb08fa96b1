//! A robots.txt as a live policy stores it: its items, in the form of an image's pools.
//!
//! A put only reads the rules; the automaton of a file is compiled when its first URL is judged. So the answers that a crawler gets again
//! and again, and those of hosts that it never visits, cost no automaton.

use hashbrown::DefaultHashBuilder;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use crate::dialect::Dialect;
use crate::error::policy::Error;
use crate::policy::capture::{Selected, SelectedGroup};
use crate::policy::groups::{CrawlerClass, Group, Groups, encode_row};
use crate::policy::image::{ItemSource, NONE, Pool, Section, SpillFolder, Tables};
use crate::policy::provenance;
use crate::policy::url_answers::StoredRules;

/// How the files of a live policy are made.
#[derive(Debug)]
pub(crate) struct FileMaker {
    /// The number of columns.
    width: usize,
    dialect: &'static Dialect,
    /// The bytes that automata take beyond those [expected](expected_bytes).
    pub beyond: AtomicU64,
    hasher: DefaultHashBuilder,
}

/// The groups of a file. Files with the same groups on the same lines share them.
#[derive(Debug)]
pub(crate) struct FileGroups {
    rules: Box<[u8]>,
    rows: Box<[u8]>,
    crawlers: Box<[u8]>,
    /// The automata, which follow from these, as words, because they are read so.
    automata: OnceLock<Box<[u32]>>,
    /// The hash of the content, which has no automata.
    hash: u64,
    maker: Arc<FileMaker>,
}

/// The bytes that the automata of rules of so many bytes take, or fewer, but for few files.
fn expected_bytes(rules: usize) -> usize {
    320 + 4 * rules
}

impl FileGroups {
    /// Everything but the automata.
    fn content(&self) -> [&[u8]; 3] {
        [&self.rules, &self.rows, &self.crawlers]
    }

    /// The bytes that they take, compiled as expected.
    pub fn size(&self) -> usize {
        let content: usize = self.content().iter().map(|part| part.len()).sum();
        size_of::<FileGroups>() + content + expected_bytes(self.rules.len())
    }

    /// The bytes that the automata take beyond those expected.
    fn beyond(&self) -> u64 {
        let taken = self.automata.get().map_or(0, |words| size_of_val(&**words));
        taken.saturating_sub(expected_bytes(self.rules.len())) as u64
    }

    /// The automata, which are compiled now if they are not yet.
    fn automata(&self) -> &[u32] {
        match self.automata.get() {
            Some(words) => words,
            None => self.compiled(),
        }
    }

    #[cold]
    fn compiled(&self) -> &[u32] {
        let mut is_new = false;
        let words = self.automata.get_or_init(|| {
            is_new = true;
            let rules = Pool::new(Section::Rules, &self.rules).contents().next();
            let automaton = rules.map(|rules| provenance::compiled(rules, self.maker.dialect)).unwrap_or_default();
            words_of(&pool_of(Section::Automata, bytemuck::cast_slice(&automaton)).0)
        });
        if is_new {
            self.maker.beyond.fetch_add(self.beyond(), Relaxed);
        }
        words
    }
}

impl PartialEq for FileGroups {
    fn eq(&self, other: &FileGroups) -> bool {
        self.hash == other.hash && self.content() == other.content()
    }
}

impl Eq for FileGroups {}

impl Hash for FileGroups {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Drop for FileGroups {
    fn drop(&mut self) {
        self.maker.beyond.fetch_sub(self.beyond(), Relaxed);
    }
}

/// A file: its groups, and its side records.
#[derive(Debug, Clone)]
pub(crate) struct LiveFile {
    pub(super) groups: Arc<FileGroups>,
    /// The pool of its side records.
    pub(super) side: Arc<[u8]>,
}

impl FileMaker {
    pub fn new(width: usize, dialect: &'static Dialect) -> FileMaker {
        FileMaker { width, dialect, beyond: AtomicU64::new(0), hasher: DefaultHashBuilder::default() }
    }

    /// The file with these groups, and the places of its row and its side records.
    pub(in crate::policy) fn file(
        self: &Arc<FileMaker>,
        mut selected: Selected,
    ) -> Result<(LiveFile, StoredRules), Error> {
        match selected.classes.pop() {
            Some(class) if selected.classes.is_empty() => self.file_of_class(class, &selected.side_records),
            last => {
                selected.classes.extend(last);
                self.file_of_classes(selected)
            }
        }
    }

    /// A file with the same groups for all crawlers, if any.
    fn file_of_class(
        self: &Arc<FileMaker>,
        CrawlerClass { group, columns }: CrawlerClass<SelectedGroup>,
        side_records: &[u8],
    ) -> Result<(LiveFile, StoredRules), Error> {
        let (rules, place) = pool_of(Section::Rules, group.as_ref().map_or(&[], |group| &group.rules));
        let group =
            group.map(|group| Group { automaton: first_place(Section::Automata), rules: place, own: group.own });
        let row = encode_row(vec![CrawlerClass { group, columns }], self.width, |_| Ok(NONE))?;
        let ((rows, row), (crawlers, _)) = (pool_of(Section::Rows, &row), pool_of(Section::Crawlers, &[]));
        let (side, place) = pool_of(Section::Side, side_records);
        let groups = self.groups([rules, rows, crawlers].map(Vec::into_boxed_slice), OnceLock::new());
        Ok((LiveFile { groups: Arc::new(groups), side: side.into() }, StoredRules { source: 0, row, side: place }))
    }

    /// A file with several groups. Its automata are compiled now, because rows have their order.
    fn file_of_classes(self: &Arc<FileMaker>, mut selected: Selected) -> Result<(LiveFile, StoredRules), Error> {
        selected.compile(self.dialect);
        let mut tables = Tables::new(self.width, &SpillFolder::none());
        let rules = selected.store(&mut tables)?;
        let pool = |section| tables.pools.get(section).bytes();
        let content = [Section::Rules, Section::Rows, Section::Crawlers].map(|section| pool(section).into());
        let groups = self.groups(content, words_of(pool(Section::Automata)).into());
        self.beyond.fetch_add(groups.beyond(), Relaxed);
        Ok((LiveFile { groups: Arc::new(groups), side: pool(Section::Side).into() }, rules))
    }

    fn groups(self: &Arc<FileMaker>, content: [Box<[u8]>; 3], automata: OnceLock<Box<[u32]>>) -> FileGroups {
        let hash = self.hasher.hash_one(&content);
        let [rules, rows, crawlers] = content;
        FileGroups { rules, rows, crawlers, automata, hash, maker: Arc::clone(self) }
    }
}

/// A pool with this item besides the first, unless it has no content; and its place.
fn pool_of(section: Section, content: &[u8]) -> (Vec<u8>, u32) {
    let unit = section.unit();
    let mut bytes = Vec::with_capacity(Pool::item_size(0, unit) + Pool::item_size(content.len(), unit));
    Pool::push(&[], unit, &mut bytes);
    if content.is_empty() {
        return (bytes, NONE);
    }
    Pool::push(content, unit, &mut bytes);
    (bytes, first_place(section))
}

/// The place of the first item with content.
fn first_place(section: Section) -> u32 {
    (Pool::item_size(0, section.unit()) / section.unit()) as u32
}

fn words_of(bytes: &[u8]) -> Box<[u32]> {
    bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned).collect()
}

impl LiveFile {
    /// Its items but the automata, by which files are compared.
    pub fn compared(&self) -> ItemSource<'_> {
        self.source(&[])
    }

    /// Its items.
    pub fn items(&self) -> ItemSource<'_> {
        self.source(self.groups.automata())
    }

    fn source<'f>(&'f self, automata: &'f [u32]) -> ItemSource<'f> {
        let FileGroups { rules, rows, crawlers, .. } = &*self.groups;
        ItemSource {
            automata: Pool::new(Section::Automata, bytemuck::cast_slice(automata)),
            rules: Pool::new(Section::Rules, rules),
            side: Pool::new(Section::Side, &self.side),
            rows: Pool::new(Section::Rows, rows),
            crawlers: Pool::new(Section::Crawlers, crawlers),
        }
    }

    /// The groups, for the crawler that these columns answer for.
    pub fn groups<'f>(&'f self, columns: &'f [usize]) -> Groups<'f> {
        let ItemSource { rows, crawlers, .. } = self.compared();
        Groups::of_pools(rows, crawlers, bytemuck::cast_slice(self.groups.automata()), columns)
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::capture::Capture;
    use crate::policy::crawlers::Crawlers;
    use crate::policy::url_answers::Content;

    /// The file of a robots.txt, for two crawlers.
    fn file(maker: &Arc<FileMaker>, body: &str) -> LiveFile {
        let columns = Crawlers::new(["a", "b"].map(|agent| agent.parse().expect("a product token")).into());
        let columns = columns.expect("two crawlers");
        let reading = Capture::found("https://a.example", body).read(&columns, maker.dialect);
        let Content::Rules(selected) = reading.content else { unreachable!("it is text") };
        maker.file(selected).expect("memory holds it").0
    }

    #[test]
    fn automata_are_counted_beyond_what_is_expected_of_them() {
        let maker = Arc::new(FileMaker::new(2, Dialect::DEFAULT));
        let beyond = || maker.beyond.load(Relaxed);
        let plain = file(&maker, "User-agent: *\nDisallow: /private/\n");
        plain.items();
        assert_eq!(beyond(), 0);
        let large = "User-agent: *\nDisallow: /*a*b\nDisallow: /*c*d\nDisallow: /*e*f\nDisallow: /*g*h\n";
        let two = file(&maker, &format!("User-agent: a\nDisallow: /x\n\n{large}"));
        let of_two = beyond();
        assert!(of_two > 0, "rows of several groups need automata");
        let one = file(&maker, large);
        assert_eq!(beyond(), of_two, "compiled when it is needed");
        one.items();
        let of_one = beyond() - of_two;
        assert_eq!(of_one, (4 * one.groups.automata().len() - expected_bytes(one.groups.rules.len())) as u64);
        one.items();
        drop(one);
        assert_eq!(beyond(), of_two);
        drop(two);
        assert_eq!(beyond(), 0);
    }
}
