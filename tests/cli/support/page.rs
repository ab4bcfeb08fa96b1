//! The tables of a page that `report` wrote.

/// The rows of the first table after `after` whose caption begins like this, as text with a bar between cells.
pub fn rows(page: &str, after: &str, caption: &str) -> Vec<String> {
    let page = &page[page.find(after).unwrap_or_else(|| panic!("{after}"))..];
    let caption = format!("<caption>{caption}");
    let table = &page[page.find(&caption).unwrap_or_else(|| panic!("{caption} in {page}"))..];
    let body = table.split("<tbody>").nth(1).and_then(|rest| rest.split("</tbody>").next()).expect("a body");
    let cells = |row: &str| {
        let mut text = String::new();
        let mut markup = false;
        for letter in row.replace("</td><td", "</td>|<td").chars() {
            markup = markup && letter != '>' || letter == '<';
            if !markup && letter != '>' {
                text.push(letter);
            }
        }
        text
    };
    body.lines().filter(|row| !row.is_empty()).map(cells).collect()
}
