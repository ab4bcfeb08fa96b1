//! Text for people that fits 80 columns: the width of a terminal that nobody has made wider.

const COLUMNS: usize = 80;

/// The most columns kept for the text of a [`Row`]: enough for the longest reason and a trillion lines. A longer piece, such as the
/// message of an error, is no table's fault.
const TEXT: usize = 33;

/// A row of a [`table`].
pub(crate) struct Row {
    /// What it is about. If it leaves too few columns for the rest, it has a line of its own.
    pub name: String,
    /// Numbers, as many in each row, aligned to the right.
    pub cells: Vec<String>,
    /// What is broken into several lines if need be, between these pieces only.
    pub text: Vec<String>,
}

/// A table, with a line feed after each row.
pub(crate) fn table(rows: &[Row]) -> String {
    let cells = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let longest = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..cells).map(|place| longest(&|row| row.cells.get(place).map_or(0, |cell| width(cell)))).collect();
    let numbers: usize = widths.iter().map(|width| 1 + width).sum();
    let pieces = rows.iter().flat_map(|row| &row.text).map(|piece| width(piece)).filter(|&width| width <= TEXT);
    let rest = COLUMNS.saturating_sub(numbers + 2 + pieces.max().unwrap_or(0));
    let name = longest(&|row| width(&row.name)).min(rest);
    let mut out = String::new();
    for row in rows {
        let mut line = format!("{:name$}", row.name);
        if width(&row.name) > name {
            line.push('\n');
            line.extend(std::iter::repeat_n(' ', name));
        }
        line.extend(row.cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:>width$}")));
        append(&mut line, name + numbers + 2, &row.text);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Pieces of a message, with a space between two of them, or a line feed where the second would pass the last column.
pub(crate) fn wrapped<S: AsRef<str>>(pieces: impl IntoIterator<Item = S>) -> String {
    let mut out = String::new();
    append(&mut out, 0, pieces);
    out
}

/// Items of a list as pieces, with a comma after each but the last.
pub(crate) fn comma_separated(mut items: Vec<String>) -> Vec<String> {
    let last = items.len().saturating_sub(1);
    items.iter_mut().take(last).for_each(|item| item.push(','));
    items
}

/// Appends pieces to a text, none before the column `indent`.
fn append<S: AsRef<str>>(out: &mut String, indent: usize, pieces: impl IntoIterator<Item = S>) {
    let mut column = out.rsplit('\n').next().map_or(0, width);
    for piece in pieces {
        let piece = piece.as_ref();
        if column > indent && column + 1 + width(piece) > COLUMNS {
            out.push('\n');
            column = 0;
        }
        let spaces = if column > indent { 1 } else { indent - column };
        out.extend(std::iter::repeat_n(' ', spaces));
        out.push_str(piece);
        column += spaces + width(piece);
    }
}

/// The columns of a text without line feeds, if each character takes one.
fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, cells: [&str; 2], text: &str) -> Row {
        let text = text.split(' ').filter(|piece| !piece.is_empty()).map(str::to_owned).collect();
        Row { name: name.to_owned(), cells: cells.map(str::to_owned).to_vec(), text }
    }

    #[test]
    fn a_small_table_has_a_line_for_each_row() {
        let rows = [row("file", ["lines", ""], "proof"), row("a", ["1", "22"], "all well"), row("bc", ["", "3"], "")];
        assert_eq!(table(&rows), "file lines     proof\na        1 22  all well\nbc          3\n");
    }

    #[test]
    fn a_wide_one_is_broken_between_pieces_and_after_long_names() {
        let words = "reason ".repeat(12);
        let name = "n".repeat(60);
        let text = table(&[row("short", ["18446744073709551615"; 2], &words), row(&name, ["1", "2"], "words")]);
        assert!(text.lines().all(|line| width(line) <= COLUMNS), "{text}");
        assert_eq!(text.matches("reason").count(), 12, "{text}");
        assert_eq!(text.split_whitespace().last(), Some("words"), "{text}");
        let long = format!("{name}\n");
        assert!(text.contains(&long), "{text}");
    }

    #[test]
    fn a_message_is_broken_between_pieces_only() {
        let pieces = ["a b".repeat(13), "c d".repeat(13), "e".to_owned(), "f".repeat(100)];
        assert_eq!(wrapped(&pieces), format!("{} {}\n{}\n{}", pieces[0], pieces[1], pieces[2], pieces[3]));
        assert_eq!(wrapped([""; 0]), "");
    }
}
