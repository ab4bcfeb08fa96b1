//! The page as a whole.

use std::cmp::Reverse;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::changes::{self, changes};
use super::crawlers::{self, crawlers, heading};
use super::decided::{self, decided};
use super::facts::{Explained, Report, UseCounts};
use super::html::{
    Cell, bar_of_parts, caption, folded, legend, number, paragraph, percent, section, source, speed_chart, status,
    table, text, warning,
};
use super::meanings::{note_meaning, reason_meaning};
use super::reread::{Cost, Decider, RereadLines};
use super::unreachable::{self, unreachable};
use crate::formats::replace::{FileKind, begins_with, replace};
use crate::formats::{seekable, time};
use crate::outcome::{Partition, Reason};
use crate::output::folder::REPORT_START as START;
use crate::output::receipt::{PartitionPart, Receipt, counted};
use crate::preferences::{Preference, Use};
use crate::show::access::{self, AccessCounts};

/// The content security policy: the page fetches nothing, whatever it contains.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

impl Report {
    /// Writes the page to a file, which gets its name only when it is complete.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or if it exists and is not a report; then it is not replaced.
    pub fn write_file(&self, path: &Path) -> io::Result<()> {
        // A pipe in the run's folder may have no reader.
        match seekable::ensure(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        replace(path, &REPORT_PAGE, |file: &mut File| file.write_all(page(self).as_bytes()))
    }
}

/// Pages about runs.
pub(crate) const REPORT_PAGE: FileKind =
    FileKind { name: "a report", is_ours: |file| begins_with(file, START.as_bytes()) };

fn page(report: &Report) -> String {
    let receipt = &report.receipt;
    let agents = text(&receipt.splits().names().join(" and "));
    let title = format!("robots.txt for {agents}: {} lines", number(receipt.input.lines));
    let sections = [
        changes(report),
        partitions(report),
        decided(report),
        costs(report),
        unreachable(report),
        origins(report),
        speed(report),
        lists(report),
        engines(report),
        options(report),
    ];
    format!(
        "{START}<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n{}{}{}</header>\n\
         <main>\n{}</main>\n{}<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("page.css"),
        subtitle(receipt),
        figures(report),
        answers(report),
        sections.concat(),
        footer(report),
        include_str!("page.js"),
    )
}

/// A line that identifies the run.
fn subtitle(receipt: &Receipt) -> String {
    let lists = match receipt.lists.as_slice() {
        [one] => one.path.clone(),
        several => counted(several.len() as u64, "list", "lists"),
    };
    let date = time(receipt.options.choices.now);
    let policy = &receipt.policy_checksum.to_string()[..8];
    let summary = format!("{lists}; dialect {}; policy {policy}...; judged at {date}", receipt.dialect);
    format!("<p class=\"run\">{}</p>\n", text(&summary))
}

/// The key figures: the share of each partition, and numbers about the run.
fn figures(report: &Report) -> String {
    let receipt = &report.receipt;
    let proof = match receipt.balanced {
        Some(true) => "every line",
        Some(false) => "NOT every line",
        None => "nothing was written",
    };
    let part = |name: &str, part: &PartitionPart| {
        let class = Partition::ALL.into_iter().map(Partition::name).find(|known| name.starts_with(known));
        let share = percent(part.judged.lines, receipt.input.lines);
        let swatch = format!("<span class=\"swatch {}\"></span>", class.unwrap_or_default());
        let lines = if part.judged.lines == 1 { "line" } else { "lines" };
        let lines = format!("{} {lines}", number(part.judged.lines));
        format!("<div><dt>{swatch}{}</dt><dd>{share:.2}%</dd><dd class=\"of\">{lines}</dd></div>\n", text(name))
    };
    let mut parts: Vec<_> = receipt.partitions.iter().collect();
    parts.sort_by_key(|(name, _)| ["blocked", "allowed"].iter().position(|first| name.starts_with(first)).unwrap_or(2));
    let parts: String = parts.into_iter().map(|(name, of)| part(name, of)).collect();
    let figures = [
        ("Lines", number(receipt.input.lines)),
        ("Accounted for", proof.to_owned()),
        ("Origins in the policy", number(receipt.policy.origins)),
        ("robots.txt to fetch", receipt.origins_needed.map_or_else(|| "-".to_owned(), number)),
        ("Seconds", format!("{:.3}", receipt.seconds)),
        ("Lines a second", number(receipt.urls_per_second as u64)),
    ];
    let figures: String =
        figures.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", text(value))).collect();
    format!("<dl class=\"figures\">\n{parts}{figures}</dl>\n")
}

/// The questions of a morning, each with its answer in a few words and a link to the section that has all of it.
fn answers(report: &Report) -> String {
    let waiting = report.waiting.reasons.values();
    let lines = waiting.fold(0u64, |lines, counts| lines.saturating_add(counts.lines));
    let to_fetch = format!("{} robots.txt, for {} lines", number(report.waiting.count()), number(lines));
    let answers = [
        ("changes", "What changed", changes::headline(report)),
        ("decided", "Who decided", decided::headline(report)),
        ("costs", "Which robots.txt cost the most", top_cost(report)),
        ("unreachable", "Unreachable", unreachable::headline(report)),
        ("origins", "To fetch", to_fetch),
    ];
    let answers =
        answers.map(|(id, question, answer)| format!("<li><a href=\"#{id}\">{question}</a>: {}</li>\n", text(&answer)));
    format!("<nav><ul class=\"answers\">\n{}</ul></nav>\n", answers.concat())
}

fn footer(report: &Report) -> String {
    let receipt = &report.receipt;
    let sums = receipt.input.sum.zip(receipt.input.order);
    let sums =
        sums.map_or_else(String::new, |(sum, order)| format!(" Checksums of the input: sum {sum}, order {order}."));
    let version = text(&receipt.robosieve);
    format!("<footer>Run by robosieve {version}, page by robosieve {}.{sums}</footer>\n", env!("CARGO_PKG_VERSION"))
}

// The sections of the page.

/// The maximum number of lists shown; those with the most lines come first.
const LISTS: usize = 200;

/// Where the lines went, and why.
fn partitions(report: &Report) -> String {
    let mut content = String::new();
    for (agent, parts) in crawlers(&report.receipt) {
        content.push_str(&heading(&report.receipt, &agent));
        let lines: Vec<(&'static str, u64)> = parts.iter().map(|(name, part)| (*name, part.judged.lines)).collect();
        content.push_str(&bar_of_parts("Shares of the partitions", &lines));
        let reasons = parts.iter().flat_map(|(name, part)| part.reasons.iter().map(move |reason| (*name, reason)));
        let mut reasons: Vec<_> = reasons.collect();
        reasons.sort_by_key(|(_, (_, lines))| Reverse(**lines));
        let rows = reasons.into_iter().map(|(name, (reason, &lines))| {
            let share = Cell::Share(lines, report.receipt.input.lines);
            let meaning = Reason::from_name(reason.as_bytes()).map_or("", reason_meaning);
            [Cell::Partition(name), Cell::Term(reason.to_string(), meaning), Cell::Number(lines), share]
        });
        content.push_str(&table(
            "Reasons, with their shares of all lines",
            &["partition", "reason", "lines", "of all lines"],
            rows,
        ));
    }
    content.push_str(&reasons_legend(report));
    let Receipt { duplicates, seen, unchanged, .. } = &report.receipt;
    for (lines, why) in [
        (duplicates.map(|part| part.lines), "their URLs occurred before"),
        (seen.map(|part| part.lines), "earlier runs have seen their URLs"),
        (unchanged.map(|part| part.lines), "both policies judge them alike"),
    ] {
        let told = lines.map(|lines| format!("{} lines were left out, because {why}.", number(lines)));
        content.extend(told.map(|told| paragraph(&told)));
    }
    section("partitions", "Where the lines went, and why", &content)
}

fn reasons_legend(report: &Report) -> String {
    let of_parts = report.receipt.partitions.values().flat_map(|part| part.reasons.keys());
    let occurred: Vec<&str> = of_parts.map(|name| &**name).collect();
    let terms = Reason::ALL.into_iter().filter(|reason| occurred.contains(&reason.name()));
    let terms: Vec<_> = terms.map(|reason| (reason.name(), reason_meaning(reason))).collect();
    legend("What the reasons mean", &terms)
}

/// The robots.txt that cost the most lines, in a few words.
fn top_cost(report: &Report) -> String {
    let Some(explained) = &report.explained else { return "not known without the policy".to_owned() };
    let [lines] = &explained.lines[..] else { return "each crawler has its own".to_owned() };
    let Some((cost, lines, ())) = lines.costs.most_frequent(1).pop() else { return "none".to_owned() };
    let Cost { origin, partition, reason } = cost;
    format!("{origin}, {} lines ({}: {})", number(lines), partition.name(), reason.name())
}

/// Which robots.txt cost the most lines, and which rules.
fn costs(report: &Report) -> String {
    let heading_of_section = "Which robots.txt cost the most lines";
    let Some(explained) = &report.explained else {
        let hint = "Not known: the receipt counts no origins. Give the policy of the run to see which origins and rules it was.";
        return section("costs", heading_of_section, &paragraph(hint));
    };
    let mut content = String::new();
    if !explained.is_same {
        let told = "The policy given is not that of the run, so this section may not show what happened.";
        content.push_str(&warning(told));
    }
    for (agent, lines) in report.receipt.splits().names().iter().zip(&explained.lines) {
        content.push_str(&heading(&report.receipt, agent));
        if lines.costs.len() == 0 {
            content.push_str(&paragraph("No line was blocked or deferred."));
        }
        content.push_str(&top_costs(report, lines));
        let deciders = top_deciders(lines, report.most);
        content.push_str(&format!("<div data-partition=\"blocked\">\n{deciders}</div>\n"));
        for partition in [Partition::Blocked, Partition::Deferred] {
            let (elsewhere, name) = (lines.elsewhere[partition as usize], partition.name());
            if elsewhere > 0 {
                let elsewhere = number(elsewhere);
                content.push_str(&paragraph(&format!("{elsewhere} {name} lines are not {name} by the policy given.")));
            }
        }
    }
    content.push_str(&source("Lines are those of the run, read again and explained by the policy."));
    section("costs", heading_of_section, &content)
}

fn top_costs(report: &Report, lines: &RereadLines) -> String {
    let (most, all) = (report.most, report.receipt.input.lines);
    let what = "Blocked and deferred lines by origin and reason";
    let caption = caption(what, lines.costs.len(), most, lines.costs.error());
    let rows = lines.costs.most_frequent(most).into_iter().map(|(cost, times, ())| {
        let origin = Cell::Origin(cost.origin.clone(), String::new());
        let outcome = Cell::Outcome(cost.partition.name(), cost.reason.name().to_owned(), reason_meaning(cost.reason));
        [origin, outcome, Cell::Number(times), Cell::Share(times, all)]
    });
    table(&caption, &["origin", "outcome", "lines", "of all lines"], rows)
}

fn top_deciders(lines: &RereadLines, most: usize) -> String {
    let caption = caption("Deciding rules", lines.deciders.len(), most, lines.deciders.error());
    let rows = lines.deciders.most_frequent(most).into_iter().map(|(decider, times, place)| {
        let (rule, more) = match decider {
            Decider::Rule(value) => {
                let rule = format!("Disallow: {}", String::from_utf8_lossy(value));
                (Cell::Code(rule), format!("/robots.txt, line {}", place.line))
            }
            Decider::Reason(reason) => {
                (Cell::Term(format!("no rule: {}", reason.name()), reason_meaning(*reason)), String::new())
            }
        };
        let origin = Cell::Origin(place.origin.clone(), more);
        [rule, Cell::Number(times), Cell::Share(times, lines.blocked), origin]
    });
    table(&caption, &["rule", "lines", "of blocked lines", "for example at"], rows)
}

/// The statuses of the origins, and the robots.txt files still to be fetched.
fn origins(report: &Report) -> String {
    let mut content = String::new();
    if let Some(Explained { summary, access, uses, .. }) = &report.explained {
        content.push_str(&access_table(access));
        content.push_str(&uses_table(uses));
        let row =
            |words: String, origins| [Cell::Words(words), Cell::Number(origins), Cell::Share(origins, summary.origins)];
        let columns = |first| [first, "origins", "of all origins"];
        let occurring = summary.origin_statuses.iter().filter(|count| count.origins > 0);
        let meanings = occurring.map(|count| row(count.origin_status.name().to_owned(), count.origins));
        content.push_str(&table("Origins of the policy", &columns("what the last answer means"), meanings));
        let statuses = summary.statuses.iter().map(|count| row(status(count.status), count.origins));
        content.push_str(&table("HTTP status of their robots.txt", &columns("status"), statuses));
    }
    content.push_str(&waiting(report));
    if content.is_empty() {
        content = paragraph("No line waits for a robots.txt.");
    }
    section("origins", "Origins", &content)
}

/// How much of the policy's origins is blocked for each crawler.
fn access_table(counts: &[AccessCounts]) -> String {
    let columns = access::Blocked::ALL.map(access::Blocked::name);
    let columns: Vec<_> = ["crawler"].into_iter().chain(columns).chain(["/ is blocked"]).collect();
    let rows = counts.iter().map(|one| {
        let numbers = access::Blocked::ALL.map(|blocked| one.with(blocked)).into_iter().chain([one.root_blocked]);
        [Cell::Words(one.agent.clone())].into_iter().chain(numbers.map(Cell::Number))
    });
    table("How many origins block none, some or all of their paths", &columns, rows)
}

/// What the policy's origins say about uses of their pages, for each crawler and use of which any says something.
fn uses_table(counts: &[UseCounts]) -> String {
    const SAID: [Preference; 3] = [Preference::Yes, Preference::No, Preference::Broken];
    let columns = SAID.map(Preference::name);
    let columns: Vec<_> = ["crawler", "use"].into_iter().chain(columns).collect();
    let rows = counts.iter().flat_map(|one| Use::all().map(move |use_| (one, use_))).filter_map(|(one, use_)| {
        let numbers = SAID.map(|preference| one.with(use_, preference));
        let words = [one.agent.clone(), use_.name().to_owned()].map(Cell::Words);
        numbers.iter().any(|number| *number > 0).then(|| words.into_iter().chain(numbers.map(Cell::Number)))
    });
    table("How many origins say yes or no to a use of some page, or what cannot be read", &columns, rows)
}

fn waiting(report: &Report) -> String {
    let term = |reason: Reason| Cell::Term(reason.name().to_owned(), reason_meaning(reason));
    let reasons = report.waiting.reasons.iter().map(|(cause, counts)| {
        let [origins, lines] = [counts.origins, counts.lines].map(Cell::Number);
        [term(cause.reason), origins, lines, Cell::Words(status(cause.status))]
    });
    let reasons = table("robots.txt to fetch, by reason", &["reason", "origins", "waiting lines", "status"], reasons);
    let caption = caption("robots.txt to fetch, by waiting lines", report.waiting.count() as usize, report.most, 0);
    let origins = report.waiting.origins.iter().map(|waiting| {
        let origin = Cell::Origin(waiting.origin.0.clone(), String::new());
        let cause = waiting.cause;
        let asked = Cell::Words(waiting.asked_at.map_or_else(|| "not recorded".to_owned(), time));
        [origin, Cell::Number(waiting.lines), term(cause.reason), Cell::Words(status(cause.status)), asked]
    });
    let tables = reasons + &table(&caption, &["origin", "waiting lines", "reason", "status", "last asked"], origins);
    if tables.is_empty() { tables } else { tables + &source("Waiting lines are from robots-needed.tsv.") }
}

fn engines(report: &Report) -> String {
    let policy = &report.receipt.policy;
    let engines = [("dfa", policy.dfa), ("constant", policy.constant), ("cursors", policy.cursors)];
    let mut content = paragraph(&format!(
        "Origins: {}; distinct groups of rules: {}. They take {} bytes. A group is a DFA, a constant if all paths \
         have the same verdict, or a set of cursors where a DFA would be too large.",
        number(policy.origins),
        number(policy.automata),
        number(policy.automata_bytes)
    ));
    content.push_str(&bar_of_parts("Engines of the groups", &engines));
    let notes =
        policy.notes.iter().map(|(kind, count)| (Cell::Term(kind.name().to_owned(), note_meaning(kind)), count));
    let bodies = policy.captures.flaws().map(|(name, count)| (Cell::Words(format!("bodies: {name}")), count));
    let archives = policy.warc.flaws().map(|(name, count)| (Cell::Words(format!("WARC: {name}")), count));
    let rows = notes.chain(bodies).chain(archives).map(|(what, count)| [what, Cell::Number(count)]);
    content.push_str(&table("What was dropped or cut in robots.txt files", &["what", "how often"], rows));
    let terms: Vec<_> = policy.notes.iter().map(|(kind, _)| (kind.name(), note_meaning(kind))).collect();
    content.push_str(&legend("What these mean", &terms));
    folded("engines", "Rules and engines", &content)
}

fn speed(report: &Report) -> String {
    let receipt = &report.receipt;
    let threads = receipt.options.threads;
    let mut content = speed_chart(&receipt.speed);
    let workers = if threads == 1 { "one worker".to_owned() } else { format!("{threads} workers") };
    content.push_str(&paragraph(&format!(
        "{} bytes by {workers} in {:.3} seconds, not counting the policy.",
        number(receipt.input.bytes),
        receipt.seconds
    )));
    section("speed", "Speed over time", &content)
}

fn lists(report: &Report) -> String {
    let mut lists: Vec<_> = report.receipt.lists.iter().collect();
    lists.sort_by_key(|list| Reverse(list.input.lines));
    let caption = caption("Lists", lists.len(), LISTS, 0);
    let rows = lists.into_iter().take(LISTS).map(|list| {
        let [lines, bytes] = [list.input.lines, list.input.bytes].map(Cell::Number);
        [Cell::Code(list.path.clone()), lines, Cell::Share(list.input.lines, report.receipt.input.lines), bytes]
    });
    let mut content = table(&caption, &["list", "lines", "of all lines", "bytes"], rows);
    if report.receipt.skipped > 0 {
        let parts = number(report.receipt.skipped);
        let what = "parts of lists could not be read and were skipped; the receipt lists them.";
        content.push_str(&warning(&format!("{parts} {what}")));
    }
    section("lists", "Lists", &content)
}

fn options(report: &Report) -> String {
    let receipt = &report.receipt;
    let first = [("agents", receipt.agents.join("; ")), ("dialect", receipt.dialect.to_string())];
    let first = first.map(|(name, value)| (name.to_owned(), value));
    let rows =
        first.into_iter().chain(crawlers::options(receipt)).map(|(name, value)| [Cell::Words(name), Cell::Code(value)]);
    section("options", "Options", &table("As recorded in the receipt", &["option", "value"], rows))
}
