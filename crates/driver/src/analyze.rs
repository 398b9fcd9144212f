//! Which objects of a program only one thread can ever reach, without running it.

use crate::observer::Observer;
use crate::options::Analyze;
use crate::{Failure, target};
pub use analysis::Verdict;
use analysis::{Escape, SiteFact};
use library::Library;
use machine::Natives;
use program::world::{ClassId, LoaderId, MethodId, Program};

/// What is known of a program's objects.
pub struct Analysis {
    /// The places where objects are made, in the order in which they are told.
    pub places: Vec<Place>,
    /// How many methods were looked at: none if the program is too large.
    pub methods: usize,
    /// Whether the program finds classes or members by name.
    pub reflection: bool,
}

/// A place where objects are made.
pub struct Place {
    /// Where it is: class, file and line.
    pub at: String,
    /// The type of the objects.
    pub made: String,
    /// Whether they stay with the thread that makes them.
    pub verdict: Verdict,
}

/// Says of each place where objects are made whether they stay with the thread that makes them.
pub fn analyze(options: &Analyze, observer: &mut dyn Observer) -> Result<Analysis, Failure> {
    let target = target::resolve(&options.classes, &options.program, options.entry.as_deref(), observer)?;
    let class_path = target.class_path_text.clone();
    let program = Program::new(target.jdk.image().clone(), target.class_path)
        .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
    let entry = entry_method(&program, &target.main_class, target.entry.as_deref(), &class_path)?;
    let library = Library::exploring();
    let escape = Escape::of(&program, entry, &|method| library.stands_in(&program, method));
    Ok(Analysis {
        places: places(&program, &escape, options.all),
        methods: escape.figures.methods,
        reflection: escape.figures.reflection,
    })
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

/// The places that are told, the program's own first.
fn places(program: &Program, escape: &Escape, all: bool) -> Vec<Place> {
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
    let place = |site: &SiteFact| Place {
        at: match site.line {
            0 => class_of(site).external_name(),
            line => format!("{} {}:{line}", class_of(site).external_name(), site.file),
        },
        made: site.type_name(program),
        verdict: site.verdict.clone(),
    };
    sites.into_iter().map(place).collect()
}

/// Whether a place is told: those of the program's own code, without what Raddle itself adds to it.
fn is_shown(program: &Program, site: &SiteFact, all: bool) -> bool {
    let class = program.class(program.method(site.method).class);
    let outermost = class.name.split('$').next().unwrap_or_default();
    all || site.own && !outermost.ends_with("/Verify")
}
