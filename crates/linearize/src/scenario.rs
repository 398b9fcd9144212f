//! A class, calls of its methods, and threads that make them.

use crate::arguments;

/// What is examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The package that scenarios belong to: that of the class, so that it need not be public; none for a class of the JDK.
    pub package: String,
    /// The class as Java writes it, in full.
    pub class: String,
    /// An expression for a new object.
    pub new: String,
}

/// A method that can be called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Method {
    /// Its name.
    pub name: String,
    /// The descriptors of its parameters.
    pub parameters: Vec<String>,
    /// The descriptor of what it returns; `None` for nothing.
    pub result: Option<String>,
}

impl Method {
    /// As Java declares it, without packages: `put(Object, Object)`.
    pub fn signature(&self) -> String {
        let parameters: Vec<String> = self.parameters.iter().map(|one| arguments::simple_name(one)).collect();
        format!("{}({})", self.name, parameters.join(", "))
    }
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// As it is told: `put(1, 2)`.
    pub text: String,
    /// As it stands in the source: a statement, or an expression if it returns something.
    pub(crate) java: String,
    /// Whether it returns something.
    pub returns: bool,
    /// Whether another thread must be at hand for it.
    pub(crate) other: Option<usize>,
}

impl Call {
    /// Interrupts the thread of this number.
    pub fn interrupt(thread: usize) -> Call {
        Call {
            text: format!("interrupt {}", thread_name(thread)),
            java: format!("thread{thread}.interrupt()"),
            returns: false,
            other: Some(thread),
        }
    }

    /// A call of a method with these arguments, each as it is written and as it is told.
    pub(crate) fn new(method: &Method, arguments: &[(String, String)]) -> Call {
        let joined = |part: fn(&(String, String)) -> &str| arguments.iter().map(part).collect::<Vec<_>>().join(", ");
        let written = format!("subject.{}({})", method.name, joined(|argument| &argument.0));
        let java = match method.result.as_deref() {
            Some(result) if arguments::is_compound(result) => format!("History.show({written})"),
            _ => written,
        };
        Call {
            text: format!("{}({})", method.name, joined(|argument| &argument.1)),
            java,
            returns: method.result.is_some(),
            other: None,
        }
    }

    /// A call as a user writes it: `poll()`. It returns something, which is compared.
    pub fn asking(text: &str) -> Call {
        Call {
            java: format!("History.show(subject.{})", text.trim()),
            returns: true,
            ..Call::written(text)
        }
    }

    /// A call as a user writes it: `put(1, 2)`. What it returns is not known, and not wanted.
    pub fn written(text: &str) -> Call {
        Call {
            text: text.trim().to_owned(),
            java: format!("subject.{}", text.trim()),
            returns: false,
            other: None,
        }
    }
}

/// Threads and their calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scenario {
    /// What is called first, before there are threads.
    pub init: Vec<Call>,
    /// The calls of each thread.
    pub threads: Vec<Vec<Call>>,
}

impl Scenario {
    /// How many calls the threads make.
    pub fn calls(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// The same with its threads in a fixed order: exchanging them makes no other scenario, unless they name each other.
    #[must_use]
    pub fn canonical(mut self) -> Scenario {
        if self.threads.iter().flatten().all(|call| call.other.is_none()) {
            self.threads
                .sort_by(|one, two| two.len().cmp(&one.len()).then_with(|| one.cmp(two)));
        }
        self
    }

    /// The scenarios with one call less, and those with an initial call less.
    pub fn smaller(&self) -> Vec<Scenario> {
        let mut all = Vec::new();
        for thread in 0..self.threads.len() {
            for call in 0..self.threads[thread].len() {
                let mut less = self.clone();
                less.threads[thread].remove(call);
                // A thread that is gone leaves no number.
                let is_named = |one: &Call| one.other.is_some();
                if less.threads[thread].is_empty() && !less.threads.iter().flatten().any(is_named) {
                    less.threads.remove(thread);
                }
                if less.threads.iter().filter(|calls| !calls.is_empty()).count() > 1 {
                    all.push(less.canonical());
                }
            }
        }
        for call in 0..self.init.len() {
            let mut less = self.clone();
            less.init.remove(call);
            all.push(less);
        }
        all
    }

    /// In a line: `offer(1), poll() | peek()`.
    pub fn line(&self) -> String {
        let list = |calls: &Vec<Call>| calls.iter().map(|call| &*call.text).collect::<Vec<_>>().join(", ");
        let threads: Vec<String> = self.threads.iter().map(list).collect();
        match self.init.is_empty() {
            true => threads.join(" | "),
            false => format!("first {}; then {}", list(&self.init), threads.join(" | ")),
        }
    }
}

/// What a thread is called: `A`, `B`, ….
pub fn thread_name(thread: usize) -> String {
    match u8::try_from(thread) {
        Ok(number) if number < 26 => char::from(b'A' + number).to_string(),
        _ => format!("T{thread}"),
    }
}

/// All calls of a method that are worth trying; none if there is a parameter for which no argument is known. If it is `overloaded`, the
/// arguments say which of the methods is meant.
pub fn callable(method: &Method, overloaded: bool) -> Vec<Call> {
    let mut tuples = arguments::tuples(&method.parameters);
    if overloaded {
        for tuple in &mut tuples {
            for (argument, parameter) in tuple.iter_mut().zip(&method.parameters) {
                argument.0 = format!("({}) ({})", arguments::java_name(parameter), argument.0);
            }
        }
    }
    tuples.iter().map(|tuple| Call::new(method, tuple)).collect()
}

/// Arguments for these parameters, as a constructor takes them; `None` if there is one for which none is known.
pub fn some_arguments(parameters: &[String]) -> Option<String> {
    let arguments = arguments::same(parameters, 1)?;
    Some(
        arguments
            .into_iter()
            .map(|argument| argument.0)
            .collect::<Vec<_>>()
            .join(", "),
    )
}
