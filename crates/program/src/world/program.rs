//! The tables of a world, and the code of its methods.

use super::class::*;
use super::constraints::Constraints;
use super::define::blank;
use super::load::LoadError;
use super::names::{Names, Symbol};
use super::table::Table;
use crate::classfile::flags;
use crate::classpath::ClassPath;
use crate::descriptor::Kind;
use crate::image::Image;
use crate::ir::Code;
use crate::lower::{LowerError, Rules, lower};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

/// Everything that was loaded, and where to load from.
pub struct Program {
    /// The JDK's class library.
    pub image: Arc<Image>,
    /// The user's classes.
    pub class_path: ClassPath,
    /// Names of members.
    pub names: Names,
    pub(super) classes: Table<Class>,
    pub(super) methods: Table<Method>,
    pub(super) bodies: Mutex<HashMap<MethodId, MethodId>>,
    pub(super) by_name: RwLock<HashMap<(LoaderId, Arc<str>), ClassId>>,
    pub(super) loading: Mutex<()>,
    pub(super) constraints: Mutex<Constraints>,
    assumed: Mutex<HashMap<ClassId, BTreeSet<(String, String)>>>,
    pub(super) primitives: [ClassId; 9],
    pub(super) array_interfaces: OnceLock<Box<[ClassId]>>,
}

impl Program {
    /// A world with the primitive types and nothing else.
    pub fn new(image: Arc<Image>, class_path: ClassPath) -> std::io::Result<Program> {
        let mut program = Program {
            image,
            class_path,
            names: Names::new()?,
            classes: Table::new(1 << 16)?,
            methods: Table::new(1 << 22)?,
            bodies: Mutex::default(),
            by_name: RwLock::default(),
            loading: Mutex::default(),
            constraints: Mutex::default(),
            assumed: Mutex::default(),
            primitives: [ClassId(0); 9],
            array_interfaces: OnceLock::new(),
        };
        let kinds = [
            ("boolean", Some(Kind::Boolean)),
            ("byte", Some(Kind::Byte)),
            ("char", Some(Kind::Char)),
            ("short", Some(Kind::Short)),
            ("int", Some(Kind::Int)),
            ("float", Some(Kind::Float)),
            ("long", Some(Kind::Long)),
            ("double", Some(Kind::Double)),
            ("void", None),
        ];
        program.primitives = kinds.map(|(name, kind)| {
            let class = program.add(|id| Class {
                flags: flags::PUBLIC | flags::FINAL | flags::ABSTRACT,
                kind: ClassKind::Primitive(kind),
                ..blank(id, name.into(), LoaderId::BOOT)
            });
            class.expect("an empty table has room")
        });
        Ok(program)
    }

    /// The class with this number.
    #[inline(always)]
    pub fn class(&self, id: ClassId) -> &Class {
        self.classes.get(id.0)
    }

    /// The method with this number.
    #[inline(always)]
    pub fn method(&self, id: MethodId) -> &Method {
        self.methods.get(id.0)
    }

    /// All classes so far, in the order of loading.
    pub fn class_ids(&self) -> impl DoubleEndedIterator<Item = ClassId> + use<> {
        (1..self.class_end().0).map(ClassId)
    }

    /// The same, described.
    pub fn classes(&self) -> impl Iterator<Item = &Class> {
        self.class_ids().map(|id| self.class(id))
    }

    /// The fields that objects of a class have and the class that declares each, its own first. What holds the static fields of a
    /// class has just these.
    pub fn fields_of(&self, class: ClassId) -> impl Iterator<Item = (&Class, &Field)> {
        let class = self.class(class);
        let (declaring, is_static) = match &class.kind {
            ClassKind::Statics(owner) => (std::slice::from_ref(owner), true),
            _ => (&*class.supers, false),
        };
        let declaring = declaring.iter().rev().map(|&id| self.class(id));
        declaring.flat_map(move |class| {
            let fields = class.fields.iter().filter(move |field| field.is_static() == is_static);
            fields.map(move |field| (class, field))
        })
    }

    /// One more than the highest class number so far.
    pub fn class_end(&self) -> ClassId {
        ClassId(self.classes.end())
    }

    /// One more than the highest method number so far.
    pub fn method_end(&self) -> MethodId {
        MethodId(self.methods.end())
    }

    /// The class of a primitive type; `None` is void.
    pub fn primitive(&self, kind: Option<Kind>) -> ClassId {
        let position = match kind {
            Some(Kind::Boolean) => 0,
            Some(Kind::Byte) => 1,
            Some(Kind::Char) => 2,
            Some(Kind::Short) => 3,
            Some(Kind::Int) => 4,
            Some(Kind::Float) => 5,
            Some(Kind::Long) => 6,
            Some(Kind::Double) => 7,
            Some(Kind::Reference) | None => 8,
        };
        self.primitives[position]
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        self.names.text(symbol)
    }

    /// `Foo.bar(I)V`, for messages.
    pub fn describe(&self, method: MethodId) -> String {
        let method = self.method(method);
        format!(
            "{}.{}",
            self.class(method.class).external_name(),
            self.text(method.name)
        )
    }

    pub(super) fn add(&self, make: impl FnOnce(ClassId) -> Class) -> Result<ClassId, LoadError> {
        self.classes
            .push_with(|id| make(ClassId(id)))
            .map(ClassId)
            .ok_or_else(|| LoadError::Linkage("too many classes".to_owned()))
    }

    /// A class that is loaded already, as seen by this loader.
    pub fn loaded(&self, loader: LoaderId, name: &str) -> Option<ClassId> {
        let by_name = self.by_name.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        by_name.get(&(loader, Arc::from(name))).copied()
    }

    /// All classes that this loader has defined under this name on any path of exploration, the latest last.
    pub fn versions(&self, loader: LoaderId, name: &str) -> Vec<ClassId> {
        self.classes()
            .filter(|class| class.loader == loader && *class.name == *name && class.kind == ClassKind::Instance)
            .map(|class| class.id)
            .collect()
    }

    /// Records that this loader answers for `name` with a class that another may have defined.
    pub fn record(&self, loader: LoaderId, name: &str, class: ClassId) {
        if !loader.is_builtin() || self.class(class).given {
            self.note_answer(loader, name, class);
        }
        let mut by_name = self.by_name.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        by_name.insert((loader, name.into()), class);
    }

    /// The code of a method that has a body in its class file, lowered when first asked for.
    pub fn code<'m>(&'m self, method: &'m Method) -> Result<&'m Code, &'m LowerError> {
        if let Some(code) = method.code.get() {
            return code.as_ref();
        }
        method
            .code
            .get_or_init(|| {
                let Some((file, info)) = method.info() else {
                    return Ok(Code::default());
                };
                lower(
                    file,
                    info,
                    &ClassRules {
                        program: self,
                        class: method.class,
                    },
                )
            })
            .as_ref()
    }

    /// The code of a method, if it is there already.
    #[inline(always)]
    pub fn ready<'m>(&'m self, method: &'m Method) -> Option<&'m Code> {
        method.code.get()?.as_ref().ok()
    }

    fn assume_assignable(&self, class: ClassId, from: &str, to: &str) {
        let mut assumed = self.assumed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        assumed
            .entry(class)
            .or_default()
            .insert((from.to_owned(), to.to_owned()));
    }

    /// What the code of a class takes for granted, as far as it was lowered: objects of the first class, as its loader means
    /// the names, can be used as those of the second. SOUNDNESS: who links the class must see to it in every state.
    pub fn assumed_assignable(&self, class: ClassId) -> Vec<(String, String)> {
        let assumed = self.assumed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        assumed.get(&class).into_iter().flatten().cloned().collect()
    }

    /// Gives a native or abstract method the code that stands for it. The first one given stays.
    pub fn set_code(&self, method: &Method, code: Code) {
        let _ = method.code.set(Ok(code));
    }
}

/// How the verifier sees the classes around one class.
struct ClassRules<'p> {
    program: &'p Program,
    class: ClassId,
}

impl Rules for ClassRules<'_> {
    fn assignable(&self, from: &str, to: &str) -> Result<bool, String> {
        if from == to || to == "java/lang/Object" {
            return Ok(true);
        }
        let loader = self.program.class(self.class).loader;
        if !loader.is_builtin() {
            // Loading through a loader of the program's own runs Java code, and what it answers may depend on the path.
            self.program.assume_assignable(self.class, from, to);
            return Ok(true);
        }
        let load = |name: &str| self.program.load(loader, name).map_err(|error| error.to_string());
        let to = load(to)?;
        if self.program.class(to).is_interface() {
            return Ok(true);
        }
        Ok(self.program.is_subclass(load(from)?, to))
    }

    fn protected_elsewhere(&self, class: &str, name: &str, descriptor: &str) -> Result<bool, String> {
        let program = self.program;
        // Only members of superclasses can be protected and still be of use here.
        let supers = &program.class(self.class).supers;
        let Some(&named) = supers
            .iter()
            .find(|&&id| id != self.class && *program.class(id).name == *class)
        else {
            return Ok(false);
        };
        let (Some(name), Some(descriptor)) = (program.names.find(name), program.names.find(descriptor)) else {
            return Ok(false);
        };
        let field = program
            .find_field(named, name, descriptor)
            .map(|found| (found.class, found.field.flags));
        let method = || {
            program
                .lookup(named, name, descriptor)
                .map(|id| (program.method(id).class, program.method(id).flags))
        };
        let Some((declaring, member)) = field.or_else(method) else {
            return Ok(false);
        };
        Ok(member & flags::PROTECTED != 0 && !program.same_package(self.class, declaring))
    }

    fn trusted(&self) -> bool {
        self.program.class(self.class).loader < LoaderId::APP || self.program.is_magic(self.class)
    }
}
