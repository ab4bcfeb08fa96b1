//! Lists of files, handed out. `tests/waiting.rs` hands out made-up lists, in many orders of the threads' steps.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{self, File};
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

use super::hand_out::{Chunks, Ended, Work};
use super::{Chunk, Cut, Parallelism, Position};
use crate::error::About;
use crate::input::error::Skipped;
use crate::input::layout::UrlField;
use crate::input::list::{Buffer, List, Maps, Next, Opening};

/// Opens these texts as lists.
fn lists(texts: &[&str]) -> Vec<List> {
    let folder = tempfile::tempdir().unwrap();
    let path = |(number, text): (usize, &&str)| {
        let path = folder.path().join(number.to_string());
        fs::write(&path, text).unwrap();
        path
    };
    let paths: Vec<_> = texts.iter().enumerate().map(path).collect();
    List::open_all(&paths, Opening::new(&UrlField::default())).unwrap()
}

/// One worker waits for the next chunk while another fails to read it.
#[test]
fn after_a_failure_there_are_no_chunks() {
    let lists = lists(&["a\nb\n", "longer\nc\n", "d\n"]);
    let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
    let chunks = Chunks::new(Cut { longest: 3, ..Cut::all(&lists, 1, &read) });
    let mut next = || chunks.next(&mut buffer);
    for at in [0, 2] {
        assert!(next().is_ok_and(|chunk| chunk.is_some_and(|chunk| (chunk.list, chunk.at) == (0, at))));
    }
    assert!(next().is_err_and(|error| error.is_about(About::MemoryOrSkipped)));
    assert!(next().is_ok_and(|chunk| chunk.is_none()));
}

#[test]
fn the_rest_of_a_list_that_is_cut_short_is_skipped() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "a\nb\n".repeat(4)).unwrap();
    let lists =
        List::open_all(&[file.path().to_owned()], Opening { skips_bad: true, ..Opening::new(&UrlField::default()) })
            .unwrap();
    let (read, mut buffer) = (AtomicU64::new(0), Buffer::default());
    let chunks = Chunks::new(Cut::all(&lists, 4, &read));
    assert_eq!(chunks.next(&mut buffer).unwrap().unwrap().text(), b"a\nb\n");
    // Half a line is left.
    file.as_file().set_len(7).unwrap();
    assert_eq!(chunks.next(&mut buffer).unwrap().unwrap().text(), b"a\n");
    assert!(chunks.next(&mut buffer).unwrap().is_none());
    let [Skipped { list: 0, part }] = &chunks.take_ended().skipped[..] else { panic!("one part") };
    assert!(part.at == Some(6) && part.problem.contains("byte 7 of 16"), "{part:?}");
    assert!(lists[0].unchanged().is_ok());
    fs::write(file.path(), "c\n".repeat(8)).unwrap();
    assert!(lists[0].unchanged().unwrap_err().is_about(About::Untrusted));
}

/// While one worker reads the first list, another one reads the second.
#[test]
fn what_is_read_ahead_waits_in_memory_and_then_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let text = |list: usize| (0..200_000).map(|line| format!("{list} {line}\n")).collect::<String>();
    let path = |list: usize| {
        let path = folder.path().join(list.to_string());
        let mut file = GzEncoder::new(File::create(&path).unwrap(), Compression::fast());
        file.write_all(text(list).as_bytes()).unwrap();
        file.finish().unwrap();
        path
    };
    let lists = List::open_all(&[path(0), path(1)], Opening::new(&UrlField::default())).unwrap();
    let home = tempfile::tempdir().unwrap();
    // The lists have 1.6 MB; two readers take 2.2 MB of the two thirds of this that are theirs.
    let memory = 4_500_000;
    for home in [None, Some(home.path().to_owned()), Some("there/is/no/such/folder".into())] {
        let (read, mut buffer, mut ended) = (AtomicU64::new(0), Buffer::default(), Ended::default());
        let (home, parallelism) = (home.clone(), Parallelism { lists: 2, in_order: true });
        let chunks = Chunks::new(Cut { parallelism, memory, folder: home, ..Cut::all(&lists, 64 << 10, &read) });
        let (mut in_memory, mut on_disk) = (0, 0);
        chunks.input.with(|input| {
            let Some(ControlFlow::Continue(Work::Read(first))) = input.lists.choose(&chunks.cut, &mut ended) else {
                panic!("it is first")
            };
            while let Some(ControlFlow::Continue(Work::Ahead(mut reading, store))) =
                input.lists.choose(&chunks.cut, &mut ended)
            {
                let next = chunks.read_ahead(&mut reading, store);
                match &next {
                    Ok(Next::Chunk(Chunk { stored: Some(_), .. })) => on_disk += 1,
                    Ok(Next::Chunk(_)) => in_memory += 1,
                    _ => {}
                }
                input.lists.keep(&chunks.cut, reading, next);
            }
            input.lists.put_back(&chunks.cut, first, Ok(Next::Long)).unwrap();
        });
        let is_stored = chunks.cut.folder.as_ref().is_some_and(|home| home.exists());
        assert!(in_memory > 0 && (on_disk > 0) == is_stored, "{in_memory} {on_disk} {:?}", chunks.cut.folder);
        let mut given = Vec::new();
        while let Some(mut chunk) = chunks.next(&mut buffer).unwrap() {
            chunks.read(&mut chunk, &mut buffer).unwrap();
            given.extend_from_slice(chunk.text());
        }
        assert!(given == (text(0) + &text(1)).into_bytes(), "other lines, or in another order");
    }
}

#[test]
fn nothing_is_handed_out_from_a_place_on() {
    let lists = lists(&["a\nb\n", "", "c\nd\n"]);
    let places = |list, at| {
        let (read, mut buffer, mut places) = (AtomicU64::new(0), Buffer::default(), Vec::new());
        let chunks = Chunks::new(Cut { before: Position { list, at }, ..Cut::all(&lists, 1, &read) });
        while let Some(chunk) = chunks.next(&mut buffer).unwrap() {
            places.push((chunk.list, chunk.at));
        }
        places
    };
    assert_eq!(places(0, 0), []);
    assert_eq!(places(0, 4), [(0, 0), (0, 2)]);
    // The empty list can be read only once, and is never read.
    assert_eq!(places(1, 0), [(0, 0), (0, 2)]);
    assert_eq!(places(2, 2), [(0, 0), (0, 2), (2, 0)]);
}

/// The chunks of a list: where each begins, its lines, and whether it is long; or where a line is too long.
type Cuts = (Vec<(u64, Vec<u8>, bool)>, Option<String>);

fn cuts(path: &std::path::Path, maps: Option<Maps>, size: usize, longest: usize, from: u64, end: u64) -> Cuts {
    let any = UrlField::default();
    let lists = List::open_all(&[path.to_owned()], Opening { maps, ..Opening::new(&any) }).unwrap();
    let (read, mut buffer, mut cuts) = (AtomicU64::new(0), Buffer::default(), Vec::new());
    let before = Position { list: 0, at: end };
    let chunks =
        Chunks::from(Cut { longest, before, ..Cut::all(&lists, size, &read) }, &[Position { list: 0, at: from }], 1);
    loop {
        match chunks.next(&mut buffer) {
            Ok(Some(chunk)) => cuts.push((chunk.at, chunk.text().to_vec(), chunk.is_long)),
            Ok(None) => return (cuts, None),
            Err(error) => return (cuts, Some(error.to_string())),
        }
    }
}

#[test]
fn a_list_is_cut_into_the_same_chunks_whether_it_is_mapped_or_read_by_ranges() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let long = format!("{}\n", "l".repeat(40_000));
    let texts =
        ["a\n", "a", "\n\n\n", "a\nbbbbbbbb\n\nccc\n\nlast", &long, &["a\n", &long, "\nb\n", &long, "c"].concat()];
    for text in texts {
        fs::write(file.path(), text).unwrap();
        let starts = text.match_indices('\n').map(|(at, _)| at as u64 + 1).chain([0]);
        for from in starts {
            for size in [1, 2, 3, 7, 8, 100, 10_000, 39_999, 40_001, 1 << 20] {
                for longest in [3, 9, 39_999, 40_001, 1 << 30] {
                    // SAFETY: nothing changes the file while it is mapped.
                    let maps = Some(unsafe { Maps::promised() });
                    let end = text.len() as u64 + 1;
                    let [mapped, read] = [maps, None].map(|maps| cuts(file.path(), maps, size, longest, from, end));
                    assert_eq!(read, mapped, "{size} {longest} {from} {}", text.len());
                }
            }
        }
    }
}
