//! How commands tell their options: under headings by what a user wants, one line each with -h, all that there is to say with --help.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};

/// The headings of options, in the order of the help. A heading holds for what follows in the same group of options, so what has none
/// stands before those that have one.
pub const LISTS: &str = "Lists";
pub const ROBOTS_TXT: &str = "Robots.txt";
pub const OUTPUT: &str = "Output";
pub const CHOICES: &str = "Choices";
pub const LONG_RUNS: &str = "Long runs";
pub const MESSAGES: &str = "Messages";

/// Adds -h and --help to a command. Of the options that are hidden from -h, its last line tells.
pub fn with_help(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let examples = command.get_after_help().map(text_of).unwrap_or_default();
    let all_examples = command.get_after_long_help().map_or_else(|| examples.clone(), text_of);
    let has_more = command.get_arguments().any(Arg::is_hide_short_help_set);
    let more = if has_more { "More options, and all about these" } else { "All about these options" };
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .help_heading(MESSAGES)
        .action(ArgAction::Help)
        .help("This summary, or with --help the full text");
    command
        .disable_help_flag(true)
        .arg(help)
        .mut_args(in_one_paragraph)
        .after_help(format!("{examples}\n\n{more}: robosieve {name} --help"))
        .after_long_help(all_examples)
}

/// A text as it was given. `to_string` would look for styles in each of its bytes, whenever the program starts.
fn text_of(text: &StyledStr) -> String {
    text.ansi().to_string()
}

const DEFAULT: &str = " [default: ";

/// The full text of an option is one paragraph, which begins with the line of -h; both end in the default.
fn in_one_paragraph(arg: Arg) -> Arg {
    let Some(line) = arg.get_help().map(text_of) else { return arg };
    let (summary, default) = line.split_at(line.rfind(DEFAULT).unwrap_or(line.len()));
    let value = arg.get_default_values().first().filter(|_| !arg.is_hide_default_value_set());
    let (default, is_ours) = match value {
        Some(value) => (format!("{DEFAULT}{}]", value.to_string_lossy()), true),
        None => (default.to_owned(), arg.is_hide_default_value_set()),
    };
    let text = arg.get_long_help().map(text_of).unwrap_or_default();
    let text = match text.strip_prefix(&line).map(str::trim_start) {
        Some("") => summary.to_owned(),
        Some(rest) if rest.starts_with(':') => format!("{summary}{rest}"),
        Some(rest) => format!("{summary}. {rest}"),
        None if text.is_empty() => summary.to_owned(),
        None => text,
    };
    arg.help(format!("{summary}{default}")).long_help(format!("{text}{default}")).hide_default_value(is_ours)
}
