//! `raddle analyze`.

use crate::arguments::Analyze;
use crate::publish::print;
use crate::{Failure, target};
use analysis::{Escape, SiteFact, Verdict};
use library::Library;
use machine::Natives;
use program::input::quoted;
use program::world::{ClassId, LoaderId, MethodId, Program};
use std::io::IsTerminal;

/// Says of each place where objects are made whether they stay with the thread that makes them.
pub fn analyze(options: &Analyze) -> Result<u8, Failure> {
    let target = target::resolve(&options.classes, &options.program, options.entry.as_deref())?;
    let class_path = target.class_path_text.clone();
    let program = Program::new(target.jdk.image().clone(), target.class_path)
        .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
    let entry = entry_method(&program, &target.main_class, target.entry.as_deref(), &class_path)?;
    let library = Library::exploring();
    let escape = Escape::of(&program, entry, &|method| library.stands_in(&program, method));
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text = page(&program, &escape, options.all, colour);
    print(&text)?;
    Ok(0)
}

/// The method that the program begins with, by the rules of `raddle check`.
pub fn entry_method(
    program: &Program,
    main_class: &str,
    entry: Option<&str>,
    class_path: &str,
) -> Result<MethodId, Failure> {
    let (class_name, method) = match entry.map(|entry| (entry, entry.rsplit_once(['.', '#']))) {
        Some((_, Some((class, method)))) => (class.to_owned(), method),
        Some((entry, None)) => (main_class.to_owned(), entry),
        None => (main_class.to_owned(), "main"),
    };
    let class = program.load_named(LoaderId::APP, &class_name).map_err(|error| {
        Failure::input(format!(
            "{error}; check its name, and name its folder or jar with -cp (the class path is {class_path})"
        ))
    })?;
    find(program, class, method).ok_or_else(|| {
        Failure::input(format!(
            "class {} has no method {method} that takes no arguments or those of a main method",
            program.class(class).external_name()
        ))
    })
}

/// A method of this name, of the class or inherited, that can be called without arguments or with those of a `main`.
fn find(program: &Program, class: ClassId, name: &str) -> Option<MethodId> {
    for &at in program.class(class).supers.iter().rev() {
        for arguments in ["([Ljava/lang/String;)", "()"] {
            let found = program.class(at).methods.iter().copied().find(|&id| {
                let method = program.method(id);
                &**program.text(method.name) == name
                    && !method.is_abstract()
                    && program.text(method.descriptor).starts_with(arguments)
            });
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn page(program: &Program, escape: &Escape, all: bool, colour: bool) -> String {
    let mut sites: Vec<&SiteFact> = escape
        .sites()
        .iter()
        .filter(|site| is_shown(program, site, all))
        .collect();
    let class_of = |site: &SiteFact| program.class(program.method(site.method).class);
    sites.sort_by_key(|site| {
        (
            !site.own,
            class_of(site).external_name(),
            site.line,
            site.method,
            site.at,
        )
    });
    let places: Vec<String> = sites
        .iter()
        .map(|site| match site.line {
            0 => class_of(site).external_name(),
            line => format!("{} {}:{line}", class_of(site).external_name(), site.file),
        })
        .collect();
    let types: Vec<String> = sites.iter().map(|site| site.type_name(program)).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).min(60);
    let (wide, wider) = (widest(&places), widest(&types));
    let mut text = String::new();
    for ((site, place), made) in sites.iter().zip(&places).zip(&types) {
        let verdict = match (&site.verdict, colour) {
            (Verdict::Local, false) => "local".to_owned(),
            (Verdict::Local, true) => "\x1b[32mlocal\x1b[0m".to_owned(),
            (Verdict::Shared(why), false) => format!("shared: {}", quoted(why)),
            (Verdict::Shared(why), true) => format!("\x1b[33mshared\x1b[0m: {}", quoted(why)),
        };
        text += &format!(
            "{:<wide$}  {:<wider$}  {verdict}\n",
            quoted(place).to_string(),
            quoted(made).to_string()
        );
    }
    let local = sites.iter().filter(|site| site.verdict == Verdict::Local).count();
    let figures = escape.figures;
    text += &format!(
        "{}{local} of {} places make objects that only one thread can ever reach ({} methods looked at)\n",
        if sites.is_empty() { "" } else { "\n" },
        sites.len(),
        figures.methods
    );
    if figures.methods == 0 {
        text += "the program is too large to be analysed: nothing is known\n";
    }
    if figures.reflection {
        text += "the program finds classes or members by name, so any of its methods may be called by any code\n";
    }
    text
}

/// Whether a place is told: those of the program's own code, without what Raddle itself adds to it.
fn is_shown(program: &Program, site: &SiteFact, all: bool) -> bool {
    let class = program.class(program.method(site.method).class);
    let outermost = class.name.split('$').next().unwrap_or_default();
    all || site.own && !outermost.ends_with("/Verify")
}
