//! `--memory`: whatever the lists are, a run takes no more, or says what has no room.
//!
//! The memory that is looked at is the anonymous one of the process (RssAnon), again and again while it runs.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::bench::{Bench, PROGRAM, Split, assert_no_result, said};
use crate::warc::{fields, gzip, http, record};

/// What the program takes in these tests.
const MEMORY: u64 = 64 << 20;

/// Runs `filter` with so much memory, and makes sure that it takes no more.
fn within(bench: &Bench, memory: u64, words: &str) -> Output {
    let words = format!("filter --robots sites --out out --memory {memory} --threads 3 {words}");
    watched(bench, memory, Command::new(PROGRAM).args(bench.arguments(&words)))
}

/// Runs a command, and makes sure that it takes no more memory than this.
fn watched(bench: &Bench, memory: u64, command: &mut Command) -> Output {
    let words = format!("{command:?}");
    command.current_dir(bench.path(".")).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("a state").is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let anonymous = status.lines().find_map(|line| line.strip_prefix("RssAnon:")?.strip_suffix("kB"));
        peak = peak.max(anonymous.map_or(0, |kib| kib.trim().parse::<u64>().expect("a number") << 10));
        std::thread::yield_now();
    }
    assert!(peak < memory, "{words}: {peak}");
    child.wait_with_output().expect("it ends")
}

fn zstd(text: &[u8], times: usize, window: u32) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("zstd");
    encoder.window_log(window).expect("a window");
    (0..times).for_each(|_| encoder.write_all(text).expect("memory"));
    encoder.finish().expect("memory")
}

#[test]
fn a_line_that_has_no_room_is_refused_and_what_is_before_it_kept() {
    let bench = Bench::with_site();
    let mut text = "http://a.example/before\n".repeat(100_000).into_bytes();
    let before = text.len();
    text.extend_from_slice(b"http://a.example/");
    text.resize(before + (200 << 20), b'x');
    text.extend_from_slice(b"\nhttp://a.example/behind\n");
    bench.file("text", &text);
    bench.file("gzip", gzip(&text));
    bench.file("zstd", zstd(&text, 1, 20));
    drop(text);
    for list in ["text", "gzip", "zstd"] {
        let ended = within(&bench, MEMORY, &format!("--agent examplebot --force --checkpoint 0 {list}"));
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        let place = format!("begins at byte {before} ");
        said(&ended.stderr, &[list, "a line of more than", &place, "--memory", "--resume"]);
        assert_no_result(&bench.names("out"));
    }
    fs::remove_file(bench.path("text")).expect("removed");
}

#[test]
fn a_line_that_has_room_is_split() {
    for option in ["", "--compress gz", "--compress zst", "--verdicts"] {
        let bench = Bench::with_site();
        let line = |path: &str| format!("http://a.example/{path}/{}\n", "x".repeat(700_000));
        let text = [line("no"), "http://a.example/\n".repeat(100), line("yes"), line("no").repeat(5)].concat();
        bench.file("text", &text);
        bench.file("gzip", gzip(text.as_bytes()));
        let ended = within(&bench, MEMORY, &format!("--agent examplebot {option} text gzip"));
        assert!(ended.status.success(), "{ended:?}");
        if option != "--verdicts" {
            Split::read(&bench, "out").accounts_for(&[text.clone().into_bytes(), text.into_bytes()]);
        }
        bench.program("verify out --inputs").assert().success();
    }
}

#[test]
fn a_window_that_has_no_room_is_refused() {
    let bench = Bench::with_site();
    let line = format!("http://a.example/{}\n", "x".repeat(1000));
    bench.file("list", zstd(line.as_bytes(), 200_000, 27));
    let ended = within(&bench, MEMORY, "--agent examplebot list");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "looks back further", "--memory"]);
    let ended = within(&bench, 1 << 30, "--agent examplebot --force list");
    assert!(ended.status.success(), "{ended:?}");
    // The same of sources.
    let answer = "{\"origin\":\"http://b.example\",\"status\":404}\n";
    bench.file("answers", zstd(answer.as_bytes(), 500_000, 27));
    bench.file("urls", "http://b.example/\n");
    let ended = within(&bench, MEMORY, "--agent examplebot --force --robots answers urls");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["answers", "looks back further", "--memory"]);
    let ended = within(&bench, 1 << 30, "--agent examplebot --force --robots answers urls");
    assert!(ended.status.success(), "{ended:?}");
}

/// What a decompressor asks for is no memory before something stands in it, so that the system limits what may be asked for.
#[test]
fn pipes_share_a_decompressor() {
    let bench = Bench::with_site();
    let pipes: Vec<String> = (0..40).map(|number| format!("pipe{number}")).collect();
    let paths = pipes.iter().map(|pipe| bench.path(pipe));
    assert!(Command::new("mkfifo").args(paths.clone()).status().expect("mkfifo").success());
    let list = |number: usize| format!("http://a.example/{number}\nhttp://a.example/no/{number}\n");
    for (number, path) in paths.enumerate() {
        // Not joined: should the program never open the pipe, the writer waits in vain, and the test fails below.
        std::thread::spawn(move || fs::write(path, zstd(list(number).as_bytes(), 1, 22)));
    }
    let words = format!("filter --agent examplebot --robots sites --out out --memory {MEMORY} --threads 3");
    // For each of the pipes a window of 4 MiB is wanted.
    let script = "ulimit -d 98304; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, PROGRAM]).args(bench.arguments(&words)).args(&pipes);
    let ended = watched(&bench, MEMORY, &mut command);
    assert!(ended.status.success(), "{ended:?}");
    Split::read(&bench, "out").accounts_for(&(0..40).map(|number| list(number).into_bytes()).collect::<Vec<_>>());
}

#[test]
fn many_lists_are_counted() {
    let bench = Bench::with_site();
    let lists: String = (0..3000).map(|number| format!("lists/{number}\n")).collect();
    lists.lines().for_each(|list| bench.file(list, format!("http://a.example/{list}\n")));
    bench.file("names", &lists);
    let agents: String = (0..8).map(|number| format!("--agent bot{} ", (b'a' + number) as char)).collect();
    for option in ["", "--verdicts"] {
        let words = format!("{agents} {option} --checkpoint 1 --files-from names");
        fs::remove_dir_all(bench.path("out")).ok();
        let ended = within(&bench, 110 << 20, &words);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        said(&ended.stderr, &["too few", "--memory"]);
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        let least = told.split("at least ").nth(1).and_then(|rest| rest.split(',').next()).expect("a number");
        let least = least.parse().expect("a number");
        // What it wrote is read again, to be replaced or to see that nothing is to be done.
        for again in ["", "--force", "--resume"] {
            let ended = within(&bench, least, &format!("{words} {again}"));
            assert!(ended.status.success(), "{ended:?}");
        }
    }
    // Whose head lines have no room.
    fs::remove_dir_all(bench.path("out")).expect("removed");
    let head = format!("url,{}\nhttp://a.example/,\n", "x".repeat(900_000));
    (0..6).for_each(|number| bench.file(&format!("{number}.csv"), &head));
    let words = "--agent examplebot --force --delimiter , --column url";
    let ended = within(&bench, MEMORY, &format!("{words} 0.csv 1.csv 2.csv 3.csv 4.csv 5.csv"));
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["too few", "--memory"]);
}

/// Answers of many origins, a third of them by redirects, in JSON Lines.
fn answers(origins: usize) -> String {
    let answer = |number: usize| match number % 3 {
        0 => format!("{{\"origin\":\"http://{number}.some.example\",\"status\":404}}\n"),
        1 => format!(
            "{{\"origin\":\"http://{number}.some.example\",\"status\":301,\"location\":\"https://{number}.some.example/robots.txt\"}}\n"
        ),
        _ => format!(
            "{{\"origin\":\"http://{number}.some.example\",\"status\":200,\"body\":\"User-agent: *\\nDisallow: /{number}/*.x\"}}\n"
        ),
    };
    (0..origins).map(answer).collect()
}

#[test]
fn robots_txt_files_that_have_no_room_are_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://1.some.example/x\n");
    bench.file("answers", answers(150_000));
    let agent = "--agent examplebot --robots answers";
    let ended = within(&bench, MEMORY, &format!("{agent} urls"));
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["URLs", "octets", "--memory", "robosieve compile", "--policy"]);
    assert_no_result(&bench.names("."));
    let ended = within(&bench, 3 * MEMORY / 2, &format!("{agent} urls"));
    assert!(ended.status.success(), "{ended:?}");
    // What is compiled first takes nothing of it.
    bench.program("compile --agent examplebot answers --output policy").assert().success();
    let words = format!("filter --policy policy --out compiled --memory {MEMORY} urls");
    let ended = watched(&bench, MEMORY, Command::new(PROGRAM).args(bench.arguments(&words)));
    assert!(ended.status.success(), "{ended:?}");
}

/// Stars again and again, which take the most memory while they are compiled.
#[test]
fn hostile_robots_txt_files_that_have_no_room_are_refused() {
    let bench = Bench::with_site();
    let answer = |number: usize, stars: usize| {
        let rule = format!("Disallow: /{number}{}", "*a".repeat(stars));
        format!("{{\"url\":\"http://{number}.example/robots.txt\",\"body\":\"User-agent: *\\n{rule}\\n\"}}\n")
    };
    // Each has 100 KiB; they would take some 17 MiB each if they were compiled at a time, and stay as long.
    bench.file("answers", (0..60).map(|number| answer(number, 50 << 10)).collect::<String>());
    bench.file("urls", "http://7.example/7b\nhttp://7.example/7a\n".repeat(10));
    let ended = within(&bench, MEMORY, "--agent examplebot --robots answers urls");
    assert!(ended.status.success(), "{ended:?}");
    let crawlers: String = (b'a'..=b'h').map(|letter| format!("--agent {} ", char::from(letter))).collect();
    let ended = within(&bench, 2 * MEMORY, &format!("{crawlers} --force --robots answers urls"));
    assert!(ended.status.success(), "{ended:?}");
    // A single one, which may be as long as the dialect reads on.
    bench.file("answers", answer(7, 400 << 10));
    let ended = within(&bench, MEMORY, "--agent examplebot --force --robots answers urls");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["http://7.example/robots.txt has 819", "--memory", "compile"]);
    let ended = within(&bench, 256 << 20, "--agent examplebot --force --robots answers urls");
    assert!(ended.status.success(), "{ended:?}");
}

/// They wait until all archives are read.
#[test]
fn revisits_that_have_no_room_are_refused() {
    let bench = Bench::with_site();
    let original = record(
        "response",
        &(fields("http://0.example/robots.txt", 1) + "WARC-Payload-Digest: sha1:same\r\n"),
        http("200 OK", "User-agent: *\nDisallow: /\n"),
    );
    let revisit = |number: usize, names: &str| {
        let url = format!("http://{number}.example/robots.txt");
        record("revisit", &(fields(&url, 2) + names), http("200 OK", ""))
    };
    let archive = |revisits: usize, names: &str| {
        let revisits = (1..=revisits).flat_map(|number| revisit(number, names));
        gzip(&revisits.chain(original.iter().copied()).collect::<Vec<u8>>())
    };
    bench.file("urls", "http://9.example/\n");
    let words = "--agent examplebot --force --robots archive urls";
    // All of one original, whose captures would otherwise be made at a time, and those whose original is nowhere.
    for (names, blocked) in [("WARC-Payload-Digest: sha1:same\r\n", 1), ("WARC-Refers-To: <urn:none>\r\n", 0)] {
        bench.file("archive", archive(20_000, names));
        let ended = within(&bench, MEMORY, words);
        assert!(ended.status.success(), "{ended:?}");
        assert_eq!(bench.read("out/blocked.txt").iter().filter(|&&octet| octet == b'\n').count(), blocked);
        bench.file("archive", archive(200_000, names));
        let ended = within(&bench, MEMORY, words);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        said(&ended.stderr, &["URLs", "--memory", "compile"]);
    }
}

/// What is known of each stays until the receipt.
#[test]
fn parts_that_have_no_room_are_refused() {
    let bench = Bench::with_site();
    bench.file("urls", (0..2000).map(|number| format!("http://a.example/{number}\n")).collect::<String>());
    let words = "--agent examplebot --force --split-size 20 urls";
    let ended = within(&bench, MEMORY, words);
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["parts", "--split-size", "--memory"]);
    let ended = within(&bench, 4 * MEMORY, words);
    assert!(ended.status.success(), "{ended:?}");
    assert!(bench.names("out").len() > 2000);
    // What a run that goes on has made counts.
    let more = "--agent examplebot --checkpoint 0 --chunk-size 1000 --resume --split-size 20";
    for memory in [MEMORY, MEMORY, 4 * MEMORY] {
        let words = format!("filter --robots sites --out parts --memory {memory} {more} urls");
        let ended = watched(&bench, memory, Command::new(PROGRAM).args(bench.arguments(&words)));
        assert_eq!(ended.status.success(), memory > MEMORY, "{ended:?}");
    }
    for part in bench.names("out").iter().filter(|name| name.ends_with(".txt")) {
        assert!(bench.read(&format!("out/{part}")) == bench.read(&format!("parts/{part}")), "{part}");
    }
}

/// A table says a URL once, and that a thousand rows have it.
#[cfg(feature = "parquet")]
#[test]
fn rows_that_say_little_and_give_much_stay_within() {
    use crate::parquet::{Values::Texts, parquet};

    let bench = Bench::with_site();
    let url: &'static str = Box::leak(format!("http://a.example/no/{}", "x".repeat(300_000)).into_boxed_str());
    let rows = Texts(vec![Some(url); 400]);
    bench.file("list", parquet(&[("required binary url", rows)], 2, parquet::basic::Compression::SNAPPY));
    for option in ["", "--unique", "--verdicts", "--format parquet --chunk-size 64"] {
        let ended = within(&bench, MEMORY, &format!("--agent examplebot --force {option} list"));
        assert!(ended.status.success(), "{option} {ended:?}");
        bench.program("verify out").assert().success();
    }
    // Rows of very different lengths, of which as many are taken as are short on average.
    let rows = Texts([vec![Some("http://a.example/"); 100_000], vec![Some(url); 300]].concat());
    bench.file("list", parquet(&[("required binary url", rows)], 1, parquet::basic::Compression::SNAPPY));
    let ended = within(&bench, MEMORY, "--agent examplebot --force list");
    assert!(ended.status.success(), "{ended:?}");
    let ended = within(&bench, MEMORY, "--agent examplebot --force --format parquet list");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "row group 0", "--chunk-size", "--memory"]);
}

/// Whatever pages hold, and whichever columns they are of.
#[cfg(feature = "parquet")]
#[test]
fn pages_that_have_no_room_are_refused() {
    use crate::parquet::{Values::Texts, parquet_with};
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::file::properties::WriterProperties;

    let bench = Bench::with_site();
    let large: &'static str = Box::leak("x".repeat(1000).into_boxed_str());
    let urls: Vec<_> = (0..40_000).map(|_| Some("http://a.example/no")).collect();
    // 40 MB in one page, which is small as long as it is compressed.
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(1 << 30)
        .set_write_batch_size(1 << 20)
        .set_data_page_row_count_limit(1 << 30);
    let columns = [("required binary url", Texts(urls)), ("optional binary other", Texts(vec![Some(large); 40_000]))];
    let file = parquet_with(&columns, 1, properties.build());
    assert!(file.len() < 1 << 20, "{}", file.len());
    bench.file("list", &file);
    let ended = within(&bench, MEMORY, "--agent examplebot --force --column other list");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "row group 0", "its pages have no room", "--memory"]);
    let ended = within(&bench, MEMORY, "--agent examplebot --force list");
    assert!(ended.status.success(), "nobody reads the other column: {ended:?}");
    // As a column that is only copied, it has no room either, but with more memory.
    let ended = within(&bench, MEMORY, "--agent examplebot --force --format parquet list");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "row group 0", "its pages have no room", "--memory"]);
    let ended = within(&bench, 1 << 30, "--agent examplebot --force --format parquet --chunk-size 1M list");
    assert!(ended.status.success(), "{ended:?}");
    // The same of sources.
    let source = "--robots list --columns url=url,status=,body=other,fetched_at=";
    let ended = within(&bench, MEMORY, &format!("--agent examplebot --force {source} sites/a.example"));
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "its pages have no room", "--memory"]);
    let ended = within(&bench, 1 << 30, &format!("--agent examplebot --force {source} sites/a.example"));
    assert!(ended.status.success(), "{ended:?}");
}

/// A number as it stands in the header of a page, in so many octets.
#[cfg(feature = "parquet")]
fn told(number: u64, octets: usize) -> Vec<u8> {
    let end = octets - 1;
    (0..octets).map(|at| ((number * 2) >> (7 * at)) as u8 & 0x7f | if at < end { 0x80 } else { 0 }).collect()
}

/// A page of a column is inflated no further than its header says, even if it could be.
#[cfg(feature = "parquet")]
#[test]
fn pages_that_are_longer_than_they_claim_are_refused() {
    use crate::parquet::{Values::Texts, parquet_with};
    use parquet::basic::Compression::GZIP;
    use parquet::file::properties::{WriterProperties, WriterVersion};

    let bench = Bench::with_site();
    let (rows, length) = (100_000, 1000);
    let url: &'static str = Box::leak(format!("http://a.example/no/{}", "x".repeat(length - 20)).into_boxed_str());
    for (version, kind) in [(WriterVersion::PARQUET_1_0, 0), (WriterVersion::PARQUET_2_0, 3)] {
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_compression(GZIP(Default::default()))
            .set_dictionary_enabled(false)
            .set_encoding(parquet::basic::Encoding::PLAIN)
            .set_data_page_size_limit(1 << 30)
            .set_write_batch_size(1 << 20)
            .set_data_page_row_count_limit(1 << 30);
        let columns = [("required binary url", Texts(vec![Some(url); rows]))];
        let mut file = parquet_with(&columns, 1, properties.build());
        assert!(file.len() < 1 << 20, "{}", file.len());
        // Behind the first four octets its only page begins, with its kind and its length.
        let claimed = [&[0x15][..], &told(kind, 1), &[0x15], &told((rows * (length + 4)) as u64, 4)].concat();
        assert_eq!(file[4..11], claimed);
        file[7..11].copy_from_slice(&told(5000, 4));
        bench.file("list", &file);
        for option in ["", "--format parquet"] {
            let ended = within(&bench, MEMORY, &format!("--agent examplebot --force {option} list"));
            assert_eq!(ended.status.code(), Some(2), "{ended:?}");
            said(&ended.stderr, &["list", "row group 0", "gzip", "more than the 5000 octets that its header claims"]);
        }
    }
}

/// What the library makes room for must be what was made sure of.
#[cfg(feature = "parquet")]
#[test]
fn headers_of_pages_that_could_be_read_in_two_ways_are_refused() {
    use crate::parquet::{Values::Texts, parquet_with};
    use parquet::file::metadata::ParquetMetaDataReader;
    use parquet::file::properties::WriterProperties;

    let bench = Bench::with_site();
    let properties = WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_dictionary_enabled(false)
        .set_encoding(parquet::basic::Encoding::PLAIN);
    let urls: Vec<_> = (0..1200_u32)
        .map(|number| Some(&*format!("http://a.example/{:08x}", number.wrapping_mul(2_654_435_761)).leak()))
        .collect();
    let mut file = parquet_with(&[("required binary url", Texts(urls))], 1, properties.build());
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(file.clone())).expect("a footer");
    let end = 4 + usize::try_from(metadata.row_group(0).column(0).compressed_size()).expect("a length");
    // Behind the first four octets its only page begins, with its kind and its lengths.
    assert_eq!(file[4..11], [&[0x15, 0, 0x15][..], &told(1200 * 29, 3), &[0x15]].concat());
    let stored = file[11..14].iter().rev().fold(0, |all, octet| all << 7 | u64::from(octet & 0x7f)) / 2;
    assert_eq!(file[11..14], told(stored, 3));
    // The number of the first field written out, and a gibibyte to make room for, where the page ends earlier for it.
    let header = [&[0x05, 0x02, 0x00, 0x15][..], &told(1 << 30, 5), &[0x15], &told(stored - 3, 3)].concat();
    let page = [&header, &file[14..end - 3]].concat();
    file.splice(4..end, page);
    bench.file("list", &file);
    let ended = within(&bench, MEMORY, "--agent examplebot --force list");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["list", "row group 0", "the header of a page of it is malformed"]);
}

/// They are kept from the start to the end.
#[cfg(feature = "parquet")]
#[test]
fn footers_that_have_no_room_are_refused() {
    use crate::parquet::{Values::Texts, parquet};

    let bench = Bench::with_site();
    let url = || Texts(vec![Some("http://a.example/no")]);
    let columns = ["required binary url", "required binary a", "required binary b"].map(|column| (column, url()));
    let file = parquet(&columns, 900, parquet::basic::Compression::UNCOMPRESSED);
    for list in 0..4 {
        bench.file(&format!("{list}"), &file);
    }
    let ended = within(&bench, MEMORY, "--agent examplebot --force 0");
    assert!(ended.status.success(), "{ended:?}");
    let ended = within(&bench, MEMORY, "--agent examplebot --force 0 1 2 3");
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["its footer of", "--memory"]);
    let ended = within(&bench, 1 << 30, "--agent examplebot --force 0 1 2 3");
    assert!(ended.status.success(), "{ended:?}");
}

/// Pages of the usual size whose values are many times as long.
#[cfg(feature = "parquet")]
#[test]
fn values_that_are_longer_than_their_pages_stay_within() {
    use crate::parquet::{Values::Texts, parquet_with};
    use parquet::basic::Encoding;
    use parquet::file::properties::WriterProperties;

    let bench = Bench::with_site();
    let url: &'static str = Box::leak(format!("http://a.example/no/{}", "x".repeat(40_000)).into_boxed_str());
    // Each value is told by what it has in common with the one before it: all of it.
    let properties = WriterProperties::builder().set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BYTE_ARRAY);
    let file = parquet_with(&[("required binary url", Texts(vec![Some(url); 4000]))], 1, properties.build());
    assert!(file.len() < 1 << 20, "{}", file.len());
    bench.file("list", &file);
    // As many octets as are told in a value of each.
    let texts = Texts(vec![Some(url); 4000]);
    let properties = WriterProperties::builder().set_dictionary_enabled(false).set_write_batch_size(8);
    bench.file("plain", parquet_with(&[("required binary url", texts)], 1, properties.build()));
    // Of the first one, as many rows are read together as have so many octets in the file.
    for words in ["list", "plain", "--format parquet --chunk-size 500 list", "--format parquet --chunk-size 64k plain"]
    {
        let ended = within(&bench, MEMORY, &format!("--agent examplebot --force {words}"));
        assert!(ended.status.success(), "{words} {ended:?}");
        bench.program("verify out").assert().success();
    }
}

/// A row with many values, and not with many octets.
#[cfg(feature = "parquet")]
#[test]
fn rows_of_many_values_stay_within() {
    use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;

    let bench = Bench::with_site();
    let schema = "message m {required binary url; repeated int64 numbers;}";
    let schema = parquet::schema::parser::parse_message_type(schema).expect("a schema");
    let properties = WriterProperties::builder().set_data_page_row_count_limit(5).build();
    let mut file = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut file, schema.into(), properties.into()).expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let (rows, values) = (1000, 5000);
    let mut column = group.next_column().expect("the library").expect("a column");
    let urls = vec![ByteArray::from("http://a.example/no"); rows];
    column.typed::<ByteArrayType>().write_batch(&urls, None, None).expect("written");
    column.close().expect("a column");
    let mut column = group.next_column().expect("the library").expect("a column");
    let starts: Vec<i16> = (0..values).map(|value| i16::from(value > 0)).collect();
    for _ in 0..rows {
        let numbers = vec![7; values];
        column.typed::<Int64Type>().write_batch(&numbers, Some(&vec![1; values]), Some(&starts)).expect("written");
    }
    column.close().expect("a column");
    group.close().expect("a group");
    writer.close().expect("a file");
    assert!(file.len() < 1 << 20, "{}", file.len());
    bench.file("list", &file);
    let ended = within(&bench, MEMORY, "--agent examplebot --force --format parquet list");
    assert!(ended.status.success(), "{ended:?}");
    bench.program("verify out").assert().success();
}

#[test]
fn what_was_seen_before_is_read_again_within() {
    let bench = Bench::with_site();
    let mut text = (0..40_000).map(|number| format!("http://a.example/{number}\n")).collect::<String>().into_bytes();
    text.resize(text.len() + (100 << 20), b'x');
    bench.file("list", gzip(&text));
    drop(text);
    for option in ["--force", "--resume"] {
        let ended = within(&bench, MEMORY, &format!("--agent examplebot --unique --checkpoint 0 {option} list"));
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        said(&ended.stderr, &["list", "a line of more than", "--resume"]);
    }
}

#[test]
fn many_crawlers_and_origins_stay_within() {
    let bench = Bench::with_site();
    let agents: String = (0..15).map(|number| format!("--agent bot{} ", (b'a' + number) as char)).collect();
    bench.file("urls", (0..400_000).map(|number| format!("http://{number}.a/\n")).collect::<String>());
    let ended = within(&bench, 160 << 20, &format!("{agents} --agent * --checkpoint 1 urls"));
    assert!(ended.status.success(), "{ended:?}");
    let needed = String::from_utf8(bench.read("out/robots-needed.tsv")).expect("UTF-8");
    assert_eq!(needed.lines().count(), 400_001);
}

/// Each place is kept, and a decompressor for what is behind it comes and goes.
#[test]
fn damage_again_and_again_stays_within() {
    let bench = Bench::with_site();
    let (good, mut bad) = (gzip(b"http://a.example/good\n"), gzip(b"http://a.example/bad\n"));
    let end = bad.len() - 8;
    bad[end..].fill(0xff);
    bench.file("bad", [good, bad].concat().repeat(1100));
    for option in ["--checkpoint 1", "--checkpoint 1 --force"] {
        let words = format!("--agent examplebot --skip-bad --quiet {option} {}", "bad ".repeat(12));
        let ended = within(&bench, MEMORY, &words);
        assert!(ended.status.success(), "{:?}", ended.status);
    }
}

/// While it is read, TOML takes many times as much as in its file.
#[test]
fn overrides_that_have_no_room_are_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    let run = || within(&bench, MEMORY, "--agent examplebot --force --overrides words.toml urls");
    bench.file("words.toml", format!("x = [{}]\n", "{a=1},".repeat(400_000)));
    let ended = run();
    assert_eq!(ended.status.code(), Some(2), "{ended:?}");
    said(&ended.stderr, &["words.toml", "longer than the 262144 octets", "--memory", "robosieve compile"]);
    bench.file("words.toml", format!("x = [{}]\n", "{a=1},".repeat(43_000)));
    let ended = run();
    said(&ended.stderr, &["words.toml, line 1", "no origin"]);
    let words = (0..5000).map(|number| format!("[\"https://{number}.example\"]\ncrawl-delay = 10\n"));
    bench.file("words.toml", words.collect::<String>());
    let ended = run();
    assert!(ended.status.success(), "{ended:?}");
}

/// Whoever wrote it, what an earlier run says of itself has a length.
#[test]
fn records_that_have_no_room_are_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    for (record, options) in [
        ("receipt.json", &["", "--force", "--resume"][..]),
        (".checkpoint.json", &["--resume"]),
        (".receipt.json.partial", &["--force"]),
    ] {
        fs::create_dir(bench.path("out")).expect("a folder");
        let file = fs::File::create(bench.path(&format!("out/{record}"))).expect("a file");
        // Zeros that take no room on the disk.
        file.set_len(1 << 32).expect("a length");
        for option in options {
            let ended = within(&bench, MEMORY, &format!("--agent examplebot {option} urls"));
            assert_eq!(ended.status.code(), Some(2), "{ended:?}");
            said(&ended.stderr, &[record, "4294967296 octets", "--memory"]);
            assert!(bench.path(&format!("out/{record}")).exists());
        }
        fs::remove_dir_all(bench.path("out")).expect("removed");
    }
}

#[test]
fn memory_in_which_nobody_can_work_is_refused() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n");
    let words = "--robots sites --memory 1M --out out urls";
    bench.refused(words, &["1048576 octets of memory are too few", "at least", "--memory"]);
    bench.refused(&words.replace("1M", "0"), &["--memory"]);
}

/// A run that goes on takes the chunks that it began with, and may have more or less memory.
#[test]
fn a_run_goes_on_with_other_memory() {
    let bench = Bench::with_site();
    bench.file("urls", "http://a.example/\n".repeat(1000));
    let words = "filter --agent examplebot --robots sites --out out --chunk-size 3000";
    bench.program(&format!("{words} urls")).assert().success();
    let words = words.replace("--chunk-size 3000", "--resume --memory 100M --threads 2");
    bench.program(&format!("{words} urls")).assert().success();
}
