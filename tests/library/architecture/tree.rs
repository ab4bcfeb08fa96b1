//! All files together: resolves names, and so finds which file depends on which.

use super::source::{self, Module};
use std::collections::{BTreeMap, BTreeSet};

/// One file depends on another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    /// The path that creates the dependency.
    pub name: String,
}

/// The result of resolving a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(Vec<String>),
    /// An item defined by this module.
    Item(Vec<String>),
}

/// The files of a program or library, and every module in them.
#[derive(Debug, Default)]
pub struct Tree {
    modules: BTreeMap<Vec<String>, Module>,
    /// The file of each module, by module path.
    files: BTreeMap<Vec<String>, String>,
}

impl Tree {
    /// Follows module declarations from these roots; `text_of` returns the text of a file, if it exists.
    pub fn read(roots: &[&str], text_of: &dyn Fn(&str) -> Option<String>) -> Tree {
        let mut tree = Tree::default();
        roots.iter().for_each(|root| tree.add(&[], root, text_of));
        tree
    }

    fn add(&mut self, path: &[String], file: &str, text_of: &dyn Fn(&str) -> Option<String>) {
        let text = text_of(file).unwrap_or_else(|| panic!("no file {file}"));
        for (path, module) in source::read(path, &text) {
            for (child, _) in module.children.iter().filter(|(_, is_file)| **is_file) {
                let child = [&path[..], std::slice::from_ref(child)].concat();
                let (sibling, within) = (format!("{}.rs", child.join("/")), format!("{}/mod.rs", child.join("/")));
                let file = if text_of(&sibling).is_some() { sibling } else { within };
                self.add(&child, &file, text_of);
            }
            self.files.insert(path.clone(), file.to_owned());
            // The library and the program share one root.
            let root = self.modules.entry(path).or_default();
            root.children.extend(module.children);
            root.bindings.extend(module.bindings);
            root.definitions.extend(module.definitions);
            root.paths.extend(module.paths);
        }
    }

    /// All files.
    pub fn files(&self) -> BTreeSet<String> {
        self.files.values().cloned().collect()
    }

    /// The files with a path of which this is true.
    pub fn users(&self, is_wanted: impl Fn(&[String]) -> bool) -> BTreeSet<String> {
        let modules = self.modules.iter().filter(|(_, module)| module.paths.iter().any(|path| is_wanted(path)));
        modules.map(|(module, _)| self.files[module].clone()).collect()
    }

    /// Resolves a path used in this module; empty if it leads outside the tree.
    fn resolve(&self, from: &[String], path: &[String]) -> BTreeSet<Target> {
        let [first, rest @ ..] = path else { return BTreeSet::new() };
        let module = &self.modules[from];
        match first.as_str() {
            "crate" | "robosieve" => self.walk(&[], rest),
            "self" => self.walk(from, rest),
            "super" if rest.first().is_some_and(|next| next == "super") => self.resolve(&from[..from.len() - 1], rest),
            "super" => self.walk(&from[..from.len() - 1], rest),
            _ if module.children.contains_key(first) => self.walk(from, path),
            _ if module.bindings.iter().any(|(name, whole)| name == first && whole != path) => self.walk(from, path),
            _ => BTreeSet::new(),
        }
    }

    /// Resolves nested names, starting from a module.
    fn walk(&self, from: &[String], names: &[String]) -> BTreeSet<Target> {
        let [first, rest @ ..] = names else { return [Target::Module(from.to_vec())].into() };
        let module = &self.modules[from];
        let child = module.children.contains_key(first).then(|| [from, std::slice::from_ref(first)].concat());
        if let (Some(child), false) = (&child, rest.is_empty()) {
            return self.walk(child, rest);
        }
        let mut targets: BTreeSet<Target> = child.into_iter().map(Target::Module).collect();
        for (_, path) in module.bindings.iter().filter(|(name, path)| name == first && path[..] != names[..]) {
            for target in self.resolve(from, path) {
                match target {
                    Target::Module(module) => targets.extend(self.walk(&module, rest)),
                    item => targets.extend([item]),
                }
            }
        }
        if targets.is_empty() {
            targets.insert(Target::Item(from.to_vec()));
        }
        targets
    }

    /// All arrows between files. Names re-exported by a `mod.rs` are traced to their definitions.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (module, path) in
            self.modules.iter().flat_map(|(name, module)| module.paths.iter().map(move |path| (name, path)))
        {
            let name = path.join("::");
            let ends = self.resolve(module, path).into_iter().filter_map(|target| match target {
                Target::Module(to) if is_list(&self.files[&to]) => None,
                Target::Module(to) | Target::Item(to) => Some(self.files[&to].clone()),
            });
            let from = &self.files[module];
            arrows.extend(ends.filter(|to| to != from).map(|to| Arrow { from: from.clone(), to, name: name.clone() }));
        }
        arrows
    }

    /// Definitions in files that should only declare modules and re-export names.
    pub fn definitions_in_lists(&self) -> Vec<String> {
        let modules = self.modules.iter().filter(|(path, _)| !path.is_empty() && is_list(&self.files[*path]));
        let all = modules.flat_map(|(path, module)| module.definitions.iter().map(|what| (&self.files[path], what)));
        all.map(|(file, what)| format!("{file}: {what}")).collect()
    }
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
