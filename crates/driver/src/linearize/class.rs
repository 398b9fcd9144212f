//! A class as scenarios use it: a way to make an object, and the methods that can be called.

use crate::Failure;
use crate::target::Target;
use ::linearize::{Method, Subject, some_arguments};
use program::classfile::flags;
use program::classpath::ClassPath;
use program::descriptor;
use program::input::quoted;
use program::world::{Class, ClassId, LoaderId, Program};
use std::collections::BTreeMap;
use std::path::Path;

/// What is compared by content at best, if it is named: an object that goes on looking at the one that it came from.
const VIEWS: &[&str] = &[
    "java/util/Iterator",
    "java/util/ListIterator",
    "java/util/Spliterator",
    "java/util/Enumeration",
    "java/util/Collection",
    "java/util/List",
    "java/util/Set",
    "java/util/SortedSet",
    "java/util/NavigableSet",
    "java/util/SortedMap",
    "java/util/NavigableMap",
    "java/util/concurrent/ConcurrentNavigableMap",
    "java/util/concurrent/ConcurrentHashMap$KeySetView",
    "java/util/stream/Stream",
    "java/util/stream/IntStream",
    "java/util/stream/LongStream",
];

/// What every object has: left out unless it is named.
const OF_OBJECTS: &[&str] = &["toString", "equals", "hashCode", "clone", "finalize"];

/// A class and what can be called.
pub struct Known {
    /// How scenarios make an object of it.
    pub subject: Subject,
    /// Its methods.
    pub methods: Vec<Method>,
}

/// Reads a class. The object is made as `new` says, or by the constructor with fewest parameters.
/// `file` is what the user named.
pub fn read(target: &Target, file: &str, new: Option<&str>, named: &[String]) -> Result<Known, Failure> {
    let class_path = ClassPath::parse(&target.class_path_text, target.jdk.feature())
        .map_err(|error| Failure::input(error.to_string()))?;
    let program = Program::new(target.jdk.image().clone(), class_path)
        .map_err(|error| Failure::unknown(format!("no memory for the tables of classes: {error}")))?;
    let id = program
        .load(LoaderId::APP, &main_class(&program, target, file))
        .map_err(|error| {
            let path = quoted(&target.class_path_text).to_string();
            Failure::input(format!(
                "{error} in the JDK or on the class path ({path}); name its folder or jar with -cp"
            ))
        })?;
    let class = program.class(id);
    let name = class.external_name().replace('$', ".");
    if class.is_interface() || class.is_abstract() {
        return Err(Failure::input(format!(
            "{name} is abstract: name a class of which objects can be made"
        )));
    }
    let is_users = class.loader >= LoaderId::APP;
    let arguments = match new {
        Some(text) => written_arguments(text)?,
        None => chosen_arguments(&program, class).ok_or_else(|| {
            Failure::input(format!(
                "no constructor of {name} is known to be good for anything: give one, as --new '{}(…)'",
                simple(&name)
            ))
        })?,
    };
    Ok(Known {
        subject: Subject {
            package: if is_users {
                class.package().replace('/', ".")
            } else {
                String::new()
            },
            new: format!("new {name}({arguments})"),
            class: name.clone(),
        },
        methods: methods(&program, id, &name, named)?,
    })
}

/// The class that is meant: of a source file that has several, the one that is called like the file.
fn main_class(program: &Program, target: &Target, file: &str) -> String {
    let main = &target.main_class;
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str());
    let named = stem
        .filter(|_| file.ends_with(".java"))
        .map(|stem| match main.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{stem}"),
            None => stem.to_owned(),
        });
    let known = named.filter(|name| program.load(LoaderId::APP, name).is_ok());
    known.unwrap_or_else(|| main.clone())
}

fn simple(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// What stands in the brackets of `ArrayBlockingQueue(2)`.
fn written_arguments(text: &str) -> Result<String, Failure> {
    let inner = text.trim().strip_suffix(')').and_then(|text| text.split_once('('));
    let (_, arguments) = inner.ok_or_else(|| {
        Failure::input(format!(
            "--new takes a constructor with its arguments, as 'ArrayBlockingQueue(2)', not {}",
            quoted(text)
        ))
    })?;
    Ok(arguments.to_owned())
}

fn chosen_arguments(program: &Program, class: &Class) -> Option<String> {
    let constructors = class
        .methods
        .iter()
        .map(|&id| program.method(id))
        .filter(|method| &**program.text(method.name) == "<init>" && is_visible(class, class, method.flags));
    let mut parameters: Vec<Vec<String>> = constructors
        .map(|method| parameters_of(program.text(method.descriptor)))
        .collect();
    parameters.sort_by_key(Vec::len);
    parameters.iter().find_map(|parameters| some_arguments(parameters))
}

/// Whether a scenario may use what has these flags, where it is declared: it is in the same package as a class of the user's.
fn is_visible(class: &Class, declaring: &Class, given: u16) -> bool {
    let is_near =
        class.loader >= LoaderId::APP && declaring.loader == class.loader && declaring.package() == class.package();
    given & flags::PUBLIC != 0 || is_near && given & flags::PRIVATE == 0
}

fn parameters_of(text: &str) -> Vec<String> {
    descriptor::parameters(text)
        .map(|(parameter, _)| parameter.to_owned())
        .collect()
}

/// The methods that are named, or else those that can be expected to be right.
fn methods(program: &Program, id: ClassId, class: &str, named: &[String]) -> Result<Vec<Method>, Failure> {
    let of = program.class(id);
    let mut found: BTreeMap<(String, Vec<String>), Method> = BTreeMap::new();
    // What is declared further down comes first, and defaults of interfaces come last.
    for &declaring in of.supers.iter().rev().chain(of.all_interfaces.iter()) {
        let declared = program.class(declaring);
        let is_object = &*declared.name == "java/lang/Object";
        for method in declared.methods.iter().map(|&id| program.method(id)) {
            let name = program.text(method.name).to_string();
            let text = program.text(method.descriptor);
            let is_plain = method.flags & (flags::STATIC | flags::SYNTHETIC | flags::BRIDGE) == 0;
            if name.starts_with('<') || !is_plain || !is_visible(of, declared, method.flags) {
                continue;
            }
            let result = descriptor::return_type(text).map(|(result, _)| result.to_owned());
            let is_view = result.as_deref().is_some_and(|result| {
                VIEWS
                    .iter()
                    .any(|view| result.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) == Some(view))
            });
            let is_usual = !declared.is_interface() && !is_object && !is_view && !OF_OBJECTS.contains(&&*name);
            let is_wanted = match named.is_empty() {
                true => is_usual,
                false => named.contains(&name),
            };
            if is_wanted {
                let parameters = parameters_of(text);
                let key = (name.clone(), parameters.clone());
                found.entry(key).or_insert(Method {
                    name,
                    parameters,
                    result,
                });
            }
        }
    }
    if let Some(missing) = named.iter().find(|name| !found.keys().any(|(known, _)| known == *name)) {
        return Err(Failure::input(format!(
            "{class} has no method {} that can be called",
            quoted(missing)
        )));
    }
    if found.is_empty() {
        return Err(Failure::input(format!("{class} has no methods that can be called")));
    }
    Ok(found.into_values().collect())
}
