//! Reads one source file: the modules it declares, its imports and its paths.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;

/// A module: a file, or inline within one.
#[derive(Debug, Default)]
pub struct Module {
    /// The modules it declares, each with whether it has a file of its own.
    pub children: BTreeMap<String, bool>,
    /// The names its imports bind, each with the full path; a glob import binds `*`.
    pub bindings: Vec<(String, Vec<String>)>,
    /// All paths of more than one name, including those of imports.
    pub paths: Vec<Vec<String>>,
    /// The keyword and name of each definition that [`read`] finds.
    pub definitions: Vec<String>,
}

/// Keywords that begin a definition.
const DEFINITIONS: [&str; 10] =
    ["fn", "struct", "enum", "union", "const", "static", "trait", "type", "impl", "macro_rules"];

/// The modules of a file by path; `path` is the file's own. Items under `cfg(test)` are left out.
pub fn read(path: &[String], text: &str) -> BTreeMap<Vec<String>, Module> {
    let tokens: TokenStream = text.parse().unwrap_or_else(|problem| panic!("{}: {problem}", path.join("::")));
    let mut modules = BTreeMap::new();
    Reader { modules: &mut modules, path: path.to_vec() }.read(tokens, true);
    modules
}

struct Reader<'m> {
    modules: &'m mut BTreeMap<Vec<String>, Module>,
    path: Vec<String>,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        self.modules.entry(self.path.clone()).or_default()
    }

    /// Reads tokens; `top` says that they are a whole module.
    fn read(&mut self, tokens: TokenStream, top: bool) {
        let tokens = tokens.into_iter().collect::<Vec<_>>();
        self.module();
        let mut at = 0;
        while at < tokens.len() {
            at = match &tokens[at] {
                TokenTree::Punct(hash) if hash.as_char() == '#' => self.attribute(&tokens, at),
                TokenTree::Group(group) => {
                    self.read(group.stream(), false);
                    at + 1
                }
                TokenTree::Ident(word) if word == "use" && !is_punct(tokens.get(at + 1), '<') => {
                    self.import(&tokens, at)
                }
                TokenTree::Ident(word) if word == "mod" => self.declaration(&tokens, at),
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    if top && DEFINITIONS.contains(&word.as_str()) {
                        let name = tokens.get(at + 1).map(ToString::to_string).unwrap_or_default();
                        self.module().definitions.push(format!("{word} {name}"));
                    }
                    self.path(&tokens, at)
                }
                _ => at + 1,
            };
        }
    }

    /// Returns the position after an attribute, or after the item it applies to if that is `cfg(test)`.
    fn attribute(&mut self, tokens: &[TokenTree], hash: usize) -> usize {
        let after = hash + 1 + usize::from(is_punct(tokens.get(hash + 1), '!'));
        let Some(TokenTree::Group(group)) = tokens.get(after) else { return after };
        let (what, rest) = (group.stream().to_string().replace(' ', ""), &tokens[after + 1..]);
        if what != "cfg(test)" {
            return after + 1;
        }
        let is_import = rest.iter().take(3).any(|token| token.to_string() == "use");
        let is_end = |token: &TokenTree| match token {
            TokenTree::Punct(end) => end.as_char() == ';',
            TokenTree::Group(body) => body.delimiter() == Delimiter::Brace && !is_import,
            _ => false,
        };
        after + 2 + rest.iter().position(is_end).expect("an item has an end")
    }

    fn declaration(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let Some(TokenTree::Ident(name)) = tokens.get(at + 1) else { return at + 1 };
        let name = name.to_string();
        self.module().children.insert(name.clone(), is_punct(tokens.get(at + 2), ';'));
        if let Some(TokenTree::Group(body)) = tokens.get(at + 2) {
            self.module().definitions.push(format!("mod {name}"));
            self.path.push(name);
            self.read(body.stream(), true);
            self.path.pop();
        }
        at + 3
    }

    fn import(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let tree = tokens[at + 1..].iter().take_while(|token| !is_punct(Some(token), ';')).cloned();
        let tree = tree.collect::<Vec<_>>();
        self.branch(&tree, &[]);
        at + 2 + tree.len()
    }

    /// Reads one branch of an import tree; `before` is the path leading to it.
    fn branch(&mut self, tokens: &[TokenTree], before: &[String]) {
        let (mut path, mut alias) = (before.to_vec(), None);
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    alias = Some(tokens[at + 1].to_string());
                    break;
                }
                TokenTree::Ident(word) if word == "self" && at == 0 && !before.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(star) if star.as_char() == '*' => path.push("*".to_owned()),
                TokenTree::Group(group) => {
                    let branches = group.stream().into_iter().collect::<Vec<_>>();
                    return branches.split(|token| is_punct(Some(token), ',')).for_each(|one| self.branch(one, &path));
                }
                _ => {}
            }
        }
        if let Some(name) = alias.or_else(|| path.last().cloned()).filter(|_| !tokens.is_empty()) {
            self.module().bindings.push((name, path.clone()));
            self.module().paths.push(path);
        }
    }

    /// Reads a path in an expression, type or pattern.
    fn path(&mut self, tokens: &[TokenTree], at: usize) -> usize {
        let mut path = vec![tokens[at].to_string()];
        let mut end = at + 1;
        while let (true, true, Some(TokenTree::Ident(name))) =
            (is_punct(tokens.get(end), ':'), is_punct(tokens.get(end + 1), ':'), tokens.get(end + 2))
        {
            path.push(name.to_string());
            end += 3;
        }
        if path.len() > 1 {
            self.module().paths.push(path);
        }
        end
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}
