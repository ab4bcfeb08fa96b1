use robosieve::automaton::{self, Scratch};
use robosieve::policy::{Captures, source};
use robosieve::{Dialect, origin};
use std::time::Instant;
fn main() {
    let mut c = Captures::new("examplebot".parse().unwrap(), Dialect::DEFAULT);
    source::add(std::path::Path::new("/dev/shm/w/robots"), &mut c).unwrap();
    let policy = c.policy().unwrap();
    let text = std::fs::read("/dev/shm/w/base-sorted.txt").unwrap();
    let mut groups: std::collections::HashMap<&str, Vec<(u32, (&[u8], usize))>> = Default::default();
    for line in text.split(|&o| o == b'\n').filter(|l| !l.is_empty()) {
        let Some(e) = origin::cut(line) else { continue };
        let r = policy.index().get(&line[..e]).unwrap();
        let path = &line[e..];
        let plain = !path.iter().any(|&o| policy.dialect().encoding.changed_octets().contains(o) || o == b'#');
        let k = if r.automaton == 0 { "nogroup" } else { let a = policy.automaton(r.automaton); if a[0] == 1 { "pointers" } else if a[1] < 2 { "constant" } else if !plain { "dfa-unplain" } else { "dfa" } };
        groups.entry(k).or_default().push((r.automaton, (line, e)));
    }
    let mut s = Scratch::default();
    for (k, v) in &groups {
        if *k == "nogroup" { println!("{k} {}", v.len()); continue }
        let mut best = f64::MAX;
        for _ in 0..9 { let t = Instant::now(); let mut n = 0; for (a, p) in v { n += automaton::verdict_behind(policy.automaton(*a), p.0, p.1, &mut s) as usize; } std::hint::black_box(n); best = best.min(t.elapsed().as_secs_f64() * 1e9 / v.len() as f64); }
        println!("{k} {} avg {:.1} ns, path {:.1}", v.len(), best, v.iter().map(|x| x.1.0.len() - x.1.1).sum::<usize>() as f64 / v.len() as f64);
    }
}
