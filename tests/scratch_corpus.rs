use robosieve::{automaton::*, dialect::*, pattern::*, robots::*};
use std::{fs, path::Path, time::Instant};
#[test]
fn corpus() {
    let root = Path::new("../shared/corpus");
    let dialect = Dialect::named("google").unwrap();
    for agent in ["Googlebot", "Bingbot", "GPTBot", "examplebot"] {
        for kind in ["urls", "probes"] {
            let tsv = fs::read_to_string(root.join(format!("google/{kind}.{agent}.tsv"))).unwrap();
            let (mut n, mut bad) = (0, 0);
            for line in tsv.lines() {
                let (host, bits) = line.split_once('\t').unwrap();
                let body = fs::read(root.join("robots").join(host)).unwrap();
                let mut notes = vec![];
                let text = decode(&body, dialect, &mut notes);
                let robots = Robots::parse(&text, dialect);
                let agents: Agents = agent.parse().unwrap();
                let sel = robots.select(&agents, dialect);
                let pats = Patterns::rank(sel.rules(&robots), dialect);
                let mut words = vec![]; let mut p2 = vec![];
                compile(&pats, &mut words);
                compile_within(&pats, 0, &mut p2);
                let mut scratch = Scratch::default();
                let urls = fs::read(root.join(kind).join(host)).unwrap();
                for (url, bit) in urls.split(|&b| b == b'\n').zip(bits.bytes()) {
                    let p = memchr::memmem::find(url, b"://").unwrap() + 3;
                    let s = url[p..].iter().position(|&b| matches!(b, b'/' | b'?' | b';'));
                    let h = memchr::memchr(b'#', url).unwrap_or(url.len());
                    let path = match s { Some(s) if p + s < h => { let x = &url[p + s..h]; if x[0] == b'/' { x.to_vec() } else { [b"/", x].concat() } } _ => b"/".to_vec() };
                    let path = dialect.encoding.path(&path);
                    n += 1;
                    for w in [&words, &p2] {
                        let v = verdict(w, &path, &mut scratch) == Verdict::Allowed;
                        if v != (bit == b'1') { bad += 1; if bad < 5 { println!("{host} {} {bit}", String::from_utf8_lossy(url)); } }
                    }
                }
            }
            println!("{agent} {kind}: {n} verdicts, {bad} wrong");
        }
    }
}
#[test]
fn sizes() {
    let dialect = Dialect::DEFAULT;
    let mut files: Vec<_> = fs::read_dir("../shared/corpus/robots").unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let bodies: Vec<_> = files.iter().map(|f| fs::read(f).unwrap()).collect();
    let agents: Agents = "examplebot".parse().unwrap();
    for round in 0..3 {
    let t = Instant::now();
    let (mut words, mut dfa, mut ptr, mut cst, mut over) = (vec![], 0, 0, 0, 0);
    let mut slow = std::time::Duration::ZERO;
    let (mut pw, mut text, mut parse) = (0, 0, std::time::Duration::ZERO);
    let mut worst = vec![];
    for (i, body) in bodies.iter().enumerate() {
        let t = Instant::now();
        let mut notes = vec![];
        let txt = decode(body, dialect, &mut notes);
        let robots = Robots::parse(&txt, dialect);
        let sel = robots.select(&agents, dialect);
        let pats = Patterns::rank(sel.rules(&robots), dialect);
        parse += t.elapsed();
        text += pats.text().len();
        let before = words.len();
        let c = compile(&pats, &mut words);
        match c.engine { Engine::Constant => cst += 1, Engine::Dfa => dfa += 1, Engine::Pointers => { ptr += 1; pw += words.len() - before; slow += t.elapsed() } }
        if (words.len() - before) * 4 > body.len() { over += 1 }
        worst.push((t.elapsed(), files[i].file_name().unwrap().to_owned(), c, (words.len() - before) * 4, pats.text().len(), body.len()));
    }
    println!("{round}: {:?} parse {:?} words {} bytes {} ptr {ptr} ({} bytes, {:?}) dfa {dfa} const {cst} over {over} text {text} bodies {}", t.elapsed(), parse, words.len(), words.len() * 4, pw * 4, slow, bodies.iter().map(Vec::len).sum::<usize>());
    worst.sort_by(|a, b| b.0.cmp(&a.0));
    if round == 2 { for w in &worst[..14] { println!("{w:?}") }
      let mut p: Vec<_> = worst.iter().filter(|w| w.2.engine == Engine::Pointers).collect(); p.sort_by_key(|w| w.4); for w in p.iter().take(30) { println!("P {w:?}") } 
      let mut p: Vec<_> = worst.iter().filter(|w| w.2.engine == Engine::Dfa).collect(); p.sort_by_key(|w| std::cmp::Reverse(w.3)); for w in p.iter().take(10) { println!("D {w:?}") } }
    }
}
