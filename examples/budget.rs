use robosieve::automaton::*; use robosieve::pattern::*; use robosieve::robots::*; use robosieve::Dialect; use std::time::Instant;
fn main() {
    let d = Dialect::DEFAULT;
    let mut files: Vec<_> = std::fs::read_dir("../shared/corpus/robots").unwrap().map(|e| e.unwrap().path()).collect(); files.sort();
    for f in files {
        let b = std::fs::read(&f).unwrap();
        let mut n = vec![]; let t = decode(&b, d, &mut n); let r = Robots::parse(&t, d);
        let s = r.select(&"examplebot".parse().unwrap(), d); let p = Patterns::rank(s.rules(&r), d);
        let mut w = vec![]; let c = compile(&p, &mut w);
        if c.engine != Engine::Pointers { continue }
        let mut line = format!("{:24} text {:6} rules {:5} ptr {:7}B", f.file_name().unwrap().to_string_lossy(), p.text().len(), p.all().len(), w.len()*4);
        for budget in [20_000, 60_000, 200_000, 1_000_000, 5_000_000] {
            let mut w = vec![]; let t = Instant::now(); let c = compile_within(&p, budget, &mut w);
            if c.engine == Engine::Dfa { line += &format!(" | {budget}: work {} states {} {}B {:.1}ms", c.work, c.states, w.len()*4, t.elapsed().as_secs_f64()*1e3); break }
        }
        println!("{line}");
    }
}
