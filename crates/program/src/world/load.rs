//! Loading: from a name to a linked class.

use super::class::*;
use super::define::{Origin, blank};
use super::modules::module_loader;
use super::program::Program;
use crate::classfile::flags;
use crate::descriptor::Kind;
use crate::input::quoted;
use std::fmt;
use std::sync::Arc;

/// Why a class could not be loaded; each is an error that Java code can catch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// No such class: `NoClassDefFoundError` or `ClassNotFoundException`.
    NotFound(String),
    /// The bytes are not a class file: `ClassFormatError`.
    Format(String),
    /// The class file is too new: `UnsupportedClassVersionError`.
    Version(String),
    /// A class is its own superclass: `ClassCircularityError`.
    Circular(String),
    /// The hierarchy is not allowed: `IncompatibleClassChangeError`.
    Incompatible(String),
    /// A class is not accessible or was named by two loaders: `IllegalAccessError`, `LinkageError`.
    Linkage(String),
    /// The class is there, but is not read: no Java error says that.
    Unreadable(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NotFound(what) => write!(f, "class {} was not found", quoted(what.replace('/', "."))),
            // It speaks of files, and has quoted their names.
            LoadError::Unreadable(what) => f.write_str(what),
            LoadError::Format(what)
            | LoadError::Version(what)
            | LoadError::Circular(what)
            | LoadError::Incompatible(what)
            | LoadError::Linkage(what) => quoted(what).fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

/// How deep a hierarchy may be: loading goes up it by recursion, and input must not choose how deep that goes.
const MOST_LEVELS: usize = 500;

impl Program {
    /// Finds and loads a class as one of the built-in loaders does. For a loader of the program's own, only what is
    /// recorded already is found.
    pub fn load(&self, loader: LoaderId, name: &str) -> Result<ClassId, LoadError> {
        if let Some(class) = self.loaded(loader, name) {
            return Ok(class);
        }
        let _guard = self.loading.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.load_locked(loader, name, &mut Vec::new())
    }

    /// Loads a class by the name that a user has for it: with dots for packages and, where there is no such class, for the classes that it is in.
    pub fn load_named(&self, loader: LoaderId, name: &str) -> Result<ClassId, LoadError> {
        let mut name = name.replace('.', "/");
        let missing = match self.load(loader, &name) {
            Ok(class) => return Ok(class),
            Err(error) => error,
        };
        while let Some(at) = name.rfind('/') {
            name.replace_range(at..=at, "$");
            if let Ok(class) = self.load(loader, &name) {
                return Ok(class);
            }
        }
        Err(missing)
    }

    /// As [`Program::load`], in the midst of another load; `path` holds the names under way, against cycles.
    pub(super) fn load_locked(
        &self,
        loader: LoaderId,
        name: &str,
        path: &mut Vec<Arc<str>>,
    ) -> Result<ClassId, LoadError> {
        if let Some(class) = self.loaded(loader, name) {
            return Ok(class);
        }
        if let Some(element) = name.strip_prefix('[') {
            let element = self.element_class(loader, element, path)?;
            let class = self.array_locked(element)?;
            self.record(loader, name, class);
            return Ok(class);
        }
        if !loader.is_builtin() {
            return Err(LoadError::NotFound(name.to_owned()));
        }
        if path.iter().any(|under_way| **under_way == *name) {
            return Err(LoadError::Circular(name.replace('/', ".")));
        }
        if path.len() >= MOST_LEVELS {
            return Err(LoadError::Linkage(format!(
                "a class hierarchy with more than {MOST_LEVELS} levels"
            )));
        }
        let in_image = self.image.class(name);
        let (bytes, module, definer) = match in_image {
            Some((bytes, module)) => {
                let definer = module_loader(&module);
                // A loader asks its parents first, and sees nothing of its children.
                if definer > loader {
                    return Err(LoadError::NotFound(name.to_owned()));
                }
                (bytes, module, definer)
            }
            None if loader == LoaderId::APP => match self.class_path.class(name) {
                Ok(Some(hit)) => (hit.bytes, Arc::from(""), LoaderId::APP),
                Ok(None) => return Err(LoadError::NotFound(name.to_owned())),
                Err(error) => return Err(LoadError::Unreadable(error.to_string())),
            },
            None => return Err(LoadError::NotFound(name.to_owned())),
        };
        if definer != loader
            && let Some(class) = self.loaded(definer, name)
        {
            self.record(loader, name, class);
            return Ok(class);
        }
        path.push(name.into());
        let class = self.define_locked(definer, Some(name), bytes, module, Origin::Found, path);
        path.pop();
        let class = class?;
        self.record(loader, name, class);
        Ok(class)
    }

    /// The class that an array descriptor's tail names.
    fn element_class(
        &self,
        loader: LoaderId,
        descriptor: &str,
        path: &mut Vec<Arc<str>>,
    ) -> Result<ClassId, LoadError> {
        match Kind::of(descriptor) {
            Some(Kind::Reference) if descriptor.starts_with('[') => self.load_locked(loader, descriptor, path),
            Some(Kind::Reference) => {
                let name = descriptor
                    .strip_prefix('L')
                    .and_then(|rest| rest.strip_suffix(';'))
                    .unwrap_or(descriptor);
                self.load_locked(loader, name, path)
            }
            Some(kind) => Ok(self.primitive(Some(kind))),
            None => Err(LoadError::NotFound(format!("[{descriptor}"))),
        }
    }

    /// The class that a field descriptor names, as seen by this loader.
    pub fn load_descriptor(&self, loader: LoaderId, descriptor: &str) -> Result<ClassId, LoadError> {
        match Kind::of(descriptor) {
            Some(Kind::Reference) if descriptor.starts_with('[') => self.load(loader, descriptor),
            Some(Kind::Reference) => self.load(loader, &descriptor[1..descriptor.len() - 1]),
            Some(kind) => Ok(self.primitive(Some(kind))),
            None if descriptor == "V" => Ok(self.primitive(None)),
            None => Err(LoadError::NotFound(descriptor.to_owned())),
        }
    }

    /// The class of arrays of this class.
    pub fn array_of(&self, element: ClassId) -> Result<ClassId, LoadError> {
        if let Some(&array) = self.class(element).array.get() {
            return Ok(array);
        }
        let _guard = self.loading.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        self.array_locked(element)
    }

    fn array_locked(&self, element: ClassId) -> Result<ClassId, LoadError> {
        let element_class = self.class(element);
        if let Some(&array) = element_class.array.get() {
            return Ok(array);
        }
        let name: Arc<str> = format!("[{}", element_class.descriptor()).into();
        if name.bytes().take_while(|&byte| byte == b'[').count() > 255 {
            return Err(LoadError::Format(format!(
                "array class {name} has more than 255 dimensions"
            )));
        }
        let object = self.load_locked(LoaderId::BOOT, "java/lang/Object", &mut Vec::new())?;
        if self.array_interfaces.get().is_none() {
            let mut ids = Vec::new();
            for name in ["java/lang/Cloneable", "java/io/Serializable"] {
                ids.push(self.load_locked(LoaderId::BOOT, name, &mut Vec::new())?);
            }
            let _ = self.array_interfaces.set(ids.into());
        }
        let interfaces = self.array_interfaces.get().cloned().unwrap_or_default();
        let mut all_interfaces = interfaces.clone();
        all_interfaces.sort_unstable();
        let (visible, shift) = match element_class.kind {
            ClassKind::Primitive(Some(kind)) => (flags::PUBLIC, kind.bytes().trailing_zeros() as u8),
            _ => (
                element_class.flags & (flags::PUBLIC | flags::PRIVATE | flags::PROTECTED),
                2,
            ),
        };
        let loader = element_class.loader;
        let module = element_class.module.clone();
        let array = self.add(|id| Class {
            flags: visible | flags::FINAL | flags::ABSTRACT,
            kind: ClassKind::Array(element),
            super_class: Some(object),
            supers: [object, id].into(),
            interfaces,
            all_interfaces,
            module,
            words: ARRAY_HEADER_WORDS,
            element_shift: shift,
            ..blank(id, name.clone(), loader)
        })?;
        let _ = element_class.array.set(array);
        self.record(loader, &name, array);
        Ok(array)
    }
}
