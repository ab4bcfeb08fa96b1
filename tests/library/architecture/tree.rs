//! The modules of a crate, and where the paths in them lead: so it finds which file depends on which. Items under `cfg(test)` are left
//! out.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Names, the outermost first.
type Names = Vec<String>;

/// One file depends on another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    /// The path that creates the dependency.
    pub name: String,
}

/// A module: a file, or inline within one.
#[derive(Debug, Default)]
struct Module {
    file: String,
    /// The names its imports bind, each with the full path; a glob import binds `*`.
    imports: Vec<(String, Names)>,
    /// All paths of more than one name, including those of imports.
    paths: Vec<Names>,
}

/// Keywords that begin a definition.
const DEFINITIONS: [&str; 10] =
    ["fn", "struct", "enum", "union", "const", "static", "trait", "type", "impl", "macro_rules"];

/// Every module of a program or library.
#[derive(Debug, Default)]
pub struct Tree {
    modules: BTreeMap<Names, Module>,
    /// The keyword and name of each definition in a file that should only declare modules and re-export names.
    pub definitions_in_lists: Vec<String>,
}

impl Tree {
    /// Follows module declarations from these roots; `text_of` returns the text of a file, if it exists.
    pub fn read(roots: &[&str], text_of: &dyn Fn(&str) -> Option<String>) -> Tree {
        let mut reader = Reader { tree: Tree::default(), text_of };
        // The library and the program share one root.
        roots.iter().for_each(|root| reader.file(&[], root));
        reader.tree
    }

    /// All files.
    pub fn files(&self) -> BTreeSet<String> {
        self.modules.values().map(|module| module.file.clone()).collect()
    }

    /// The files with a path of which this is true.
    pub fn users(&self, is_wanted: impl Fn(&[String]) -> bool) -> BTreeSet<String> {
        let modules = self.modules.values().filter(|module| module.paths.iter().any(|path| is_wanted(path)));
        modules.map(|module| module.file.clone()).collect()
    }

    /// All arrows between files. Names re-exported by a `mod.rs` are traced to their definitions.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (module, Module { file, paths, .. }) in &self.modules {
            for path in paths {
                let mut ends = BTreeSet::new();
                let whole = self.whole(module, path);
                whole.iter().for_each(|whole| self.trace(whole, &mut BTreeSet::new(), &mut ends));
                let is_other = |to: &&String| *to != file;
                let arrow = |to: &String| Arrow { from: file.clone(), to: to.clone(), name: path.join("::") };
                arrows.extend(ends.into_iter().filter(is_other).map(arrow));
            }
        }
        arrows
    }

    /// A path used in a module, from the root on; `None` if it leads outside the crate.
    fn whole(&self, module: &[String], path: &[String]) -> Option<Names> {
        let supers = path.iter().take_while(|name| *name == "super").count();
        let is_import = |(name, of): &(String, Names)| *name == path[0] && of != path;
        match path[0].as_str() {
            "crate" | "robosieve" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([&module[..module.len() - supers], &path[supers..]].concat()),
            first => (self.modules.contains_key(&child(module, first))
                || self.modules[module].imports.iter().any(is_import))
            .then(|| [module, path].concat()),
        }
    }

    /// Adds the files of what a whole path names: of a module, unless it is a list, or of the module that defines an item. `seen` has
    /// the paths that were traced on the way.
    fn trace<'t>(&'t self, path: &[String], seen: &mut BTreeSet<Names>, ends: &mut BTreeSet<&'t String>) {
        if !seen.insert(path.to_vec()) {
            return;
        }
        let longest = (0..=path.len()).rev().find(|&length| self.modules.contains_key(&path[..length]));
        let length = longest.expect("the root is a module");
        let is_module = length == path.len();
        if is_module {
            ends.extend(Some(&self.modules[path].file).filter(|file| !is_list(file)));
        }
        // What has the name of a module may be something else, too.
        let (module, names) = path.split_at(length - usize::from(is_module && length > 0));
        let Some((first, rest)) = names.split_first() else { return };
        let Module { file, imports, .. } = &self.modules[module];
        let imports = imports.iter().filter(|(name, _)| name == first);
        let wholes: Vec<Names> =
            imports.filter_map(|(_, of)| Some([self.whole(module, of)?, rest.to_vec()].concat())).collect();
        wholes.iter().for_each(|whole| self.trace(whole, seen, ends));
        if !is_module && wholes.iter().all(|whole| whole == path) {
            ends.insert(file);
        }
    }
}

struct Reader<'t> {
    tree: Tree,
    text_of: &'t dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    fn file(&mut self, module: &[String], file: &str) {
        let text = (self.text_of)(file).unwrap_or_else(|| panic!("no file {file}"));
        self.module(module, file, text.parse().unwrap_or_else(|problem| panic!("{file}: {problem}")));
    }

    fn module(&mut self, module: &[String], file: &str, tokens: TokenStream) {
        self.tree.modules.entry(module.to_vec()).or_default().file = file.to_owned();
        self.tokens(module, tokens, true);
    }

    /// Reads tokens in a module; `top` says that they are all of it.
    fn tokens(&mut self, module: &[String], tokens: TokenStream, top: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        while let [token, after @ ..] = rest {
            rest = match token {
                TokenTree::Punct(hash) if hash.as_char() == '#' => after_attribute(after),
                TokenTree::Group(group) => {
                    self.tokens(module, group.stream(), false);
                    after
                }
                TokenTree::Ident(word) => self.word(module, word.to_string(), after, top),
                _ => after,
            };
        }
    }

    /// Reads an import, a declaration of a module, or a path; returns what comes after it.
    fn word<'r>(&mut self, module: &[String], word: String, mut rest: &'r [TokenTree], top: bool) -> &'r [TokenTree] {
        if word == "use" && !rest.first().is_some_and(|token| is_punct(token, '<')) {
            let end = rest.iter().position(|token| is_punct(token, ';')).expect("an import has an end");
            self.import(module, &rest[..end], &[]);
            return &rest[end..];
        }
        if let ("mod", [TokenTree::Ident(name), after, rest @ ..]) = (word.as_str(), rest) {
            let child = child(module, &name.to_string());
            if let TokenTree::Group(body) = after {
                self.defines(module, format!("mod {name}"));
                let file = self.this(module).file.clone();
                self.module(&child, &file, body.stream());
            } else {
                let files = ["", "/mod"].map(|end| format!("{}{end}.rs", child.join("/")));
                let is_there = (self.text_of)(&files[0]).is_some();
                self.file(&child, &files[usize::from(!is_there)]);
            }
            return rest;
        }
        if top && DEFINITIONS.contains(&word.as_str()) {
            self.defines(module, format!("{word} {}", rest.first().map(ToString::to_string).unwrap_or_default()));
        }
        let mut path = vec![word];
        while let [one, other, TokenTree::Ident(name), after @ ..] = rest
            && is_punct(one, ':')
            && is_punct(other, ':')
        {
            path.push(name.to_string());
            rest = after;
        }
        self.this(module).paths.extend(Some(path).filter(|path| path.len() > 1));
        rest
    }

    fn this(&mut self, module: &[String]) -> &mut Module {
        self.tree.modules.get_mut(module).expect("it is being read")
    }

    fn defines(&mut self, module: &[String], what: String) {
        let file = self.this(module).file.clone();
        let is_wrong = is_list(&file) && !module.is_empty();
        self.tree.definitions_in_lists.extend(is_wrong.then(|| format!("{file}: {what}")));
    }

    /// Reads one branch of an import; `before` is the path leading to it.
    fn import(&mut self, module: &[String], branch: &[TokenTree], before: &[String]) {
        let mut path = before.to_vec();
        for (at, token) in branch.iter().enumerate() {
            match token {
                TokenTree::Ident(word) if word == "as" => break,
                TokenTree::Ident(word) if word == "self" && at == 0 && !before.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(star) if star.as_char() == '*' => path.push("*".to_owned()),
                TokenTree::Group(group) => {
                    let branches: Vec<TokenTree> = group.stream().into_iter().collect();
                    let branches = branches.split(|token| is_punct(token, ',')).filter(|branch| !branch.is_empty());
                    return branches.for_each(|branch| self.import(module, branch, &path));
                }
                _ => {}
            }
        }
        let alias = match branch {
            [.., TokenTree::Ident(word), alias] if word == "as" => alias.to_string(),
            _ => path.last().cloned().expect("a path"),
        };
        self.this(module).imports.push((alias, path.clone()));
        self.this(module).paths.push(path);
    }
}

/// What comes after an attribute, or after the item that it is for if that is `cfg(test)`.
fn after_attribute(rest: &[TokenTree]) -> &[TokenTree] {
    let rest = if rest.first().is_some_and(|token| is_punct(token, '!')) { &rest[1..] } else { rest };
    let [TokenTree::Group(attribute), rest @ ..] = rest else { return rest };
    if attribute.stream().to_string().replace(' ', "") != "cfg(test)" {
        return rest;
    }
    let is_import = rest.iter().take(3).any(|token| token.to_string() == "use");
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(body) => body.delimiter() == Delimiter::Brace && !is_import,
        token => is_punct(token, ';'),
    };
    &rest[rest.iter().position(is_end).expect("an item has an end") + 1..]
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

/// The name of a module in another one.
fn child(module: &[String], name: &str) -> Names {
    [module, &[name.to_owned()]].concat()
}

/// Whether a file should only declare modules and re-export names.
pub fn is_list(file: &str) -> bool {
    file.ends_with("mod.rs") || file == "lib.rs" || file == "main.rs"
}

/// The arrows that are part of a cycle, or lead from one cycle to another.
pub fn cycles(arrows: &BTreeSet<Arrow>) -> Vec<&Arrow> {
    let mut rest = arrows.iter().filter(|arrow| !is_list(&arrow.from) && !is_list(&arrow.to)).collect::<Vec<_>>();
    loop {
        let from: BTreeSet<_> = rest.iter().map(|arrow| &arrow.from).collect();
        let to: BTreeSet<_> = rest.iter().map(|arrow| &arrow.to).collect();
        let count = rest.len();
        rest.retain(|arrow| to.contains(&arrow.from) && from.contains(&arrow.to));
        if rest.len() == count {
            return rest;
        }
    }
}
