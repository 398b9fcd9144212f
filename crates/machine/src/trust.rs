//! On whose behalf an access happens, and which classes of the JDK are trusted with what looks like a race.
//!
//! A class is trusted if its documentation promises that several threads may use one object of it, or that its objects never
//! change. Its authors then know what they do: a lazily computed hash code, a relaxed write to a volatile field.
//! A class that is only used inside the JDK promises nothing by itself. It is as good as the public class that uses it.

use crate::machine::Machine;
use program::world::{Class, ClassId, LoaderId, Method, MethodId};

/// What a class is, as far as races are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repute {
    /// The program's own.
    User,
    /// It carries out accesses for whoever calls it.
    Errand,
    /// Of the JDK, and documented to be safe for several threads.
    Trusted,
    /// Of the JDK, and not part of its interface.
    Internal,
    /// Of the JDK, and documented to be unsafe for several threads, or not at all.
    Other,
}

/// What carries out accesses for the code that calls it; packages end in a slash.
const ERRANDS: [&str; 7] = [
    "java/lang/System",
    "java/util/Arrays",
    "java/lang/invoke/",
    "java/lang/reflect/",
    "jdk/internal/misc/",
    "jdk/internal/util/ArraysSupport",
    "sun/misc/Unsafe",
];

/// The beginning of the names of the atomic variables, whose accesses are their caller's; an adder is no such variable.
const ATOMICS: &str = "java/util/concurrent/atomic/Atomic";

/// What several threads may use by its documentation; packages end in a slash.
const TRUSTED: [&str; 49] = [
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/ClassValue",
    "java/lang/Double",
    "java/lang/Enum",
    "java/lang/Float",
    "java/lang/InheritableThreadLocal",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Math",
    "java/lang/Module",
    "java/lang/ModuleLayer",
    "java/lang/Package",
    "java/lang/Runtime",
    "java/lang/Short",
    "java/lang/StackTraceElement",
    "java/lang/StackWalker",
    "java/lang/StrictMath",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/Thread",
    "java/lang/ThreadGroup",
    "java/lang/ThreadLocal",
    "java/lang/constant/",
    "java/lang/module/",
    "java/lang/ref/",
    "java/lang/runtime/",
    "java/math/BigDecimal",
    "java/math/BigInteger",
    "java/math/MathContext",
    "java/net/InetAddress",
    "java/net/URI",
    "java/nio/charset/Charset",
    "java/nio/file/",
    "java/security/AccessControlContext",
    "java/security/AccessController",
    "java/security/PermissionCollection",
    "java/security/Permissions",
    "java/security/ProtectionDomain",
    "java/security/Provider",
    "java/security/SecureRandom",
    "java/time/",
    "java/util/Locale",
    "java/util/UUID",
    "java/util/concurrent/",
    "java/util/regex/Pattern",
];

/// What says of itself that it is not for several threads, in packages that are.
const UNSAFE: [&str; 3] = [
    "java/time/format/DateTimeFormatterBuilder",
    "java/time/format/DateTimeParseContext",
    "java/time/format/DateTimePrintContext",
];

/// Trusted classes that share arrays of their own between threads, and never touch an array of their caller's in the methods
/// of these classes themselves.
const KEEPERS: [&str; 11] = [
    "java/lang/ClassValue$ClassValueMap",
    "java/util/concurrent/ConcurrentHashMap",
    "java/util/concurrent/Exchanger",
    "java/util/concurrent/ForkJoinPool",
    "java/util/concurrent/ForkJoinPool$WorkQueue",
    "java/util/concurrent/SubmissionPublisher$BufferedSubscription",
    "java/util/concurrent/atomic/DoubleAccumulator",
    "java/util/concurrent/atomic/DoubleAdder",
    "java/util/concurrent/atomic/LongAccumulator",
    "java/util/concurrent/atomic/LongAdder",
    "java/util/concurrent/atomic/Striped64",
];

/// Views of maps that are made when first asked for, by whoever asks: two of them do as well as one.
const VIEWS: [&str; 4] = ["keySet", "values", "entrySet", "navigableKeySet"];

/// Whether a list names a class, its outermost class or its package.
fn names(list: &[&str], class: &str) -> bool {
    list.iter().any(|name| match class.strip_prefix(name) {
        Some(rest) => rest.is_empty() || rest.starts_with('$') || name.ends_with('/'),
        None => false,
    })
}

/// What a class is.
pub(crate) fn repute_of(class: &Class) -> Repute {
    match class.loader >= LoaderId::APP {
        true => Repute::User,
        false => repute_of_jdk(&class.name),
    }
}

/// The repute of a class of the JDK, by its internal name.
fn repute_of_jdk(class: &str) -> Repute {
    match class {
        _ if names(&ERRANDS, class) || class.starts_with(ATOMICS) => Repute::Errand,
        _ if names(&UNSAFE, class) => Repute::Other,
        _ if names(&TRUSTED, class) => Repute::Trusted,
        _ if ["jdk/", "sun/", "com/sun/"]
            .iter()
            .any(|prefix| class.starts_with(prefix)) =>
        {
            Repute::Internal
        }
        _ => Repute::Other,
    }
}

impl Machine<'_> {
    /// What a class is.
    pub(crate) fn repute(&mut self, class: ClassId) -> Repute {
        self.facts.repute(self.program, class)
    }

    /// Whether the fields of a class of the JDK are trusted, whoever accesses them: what carries out accesses for others keeps
    /// caches of its own. An atomic variable does not, its value is its user's.
    pub(crate) fn is_plumbing(&self, class: ClassId) -> bool {
        let described = self.program.class(class);
        described.loader < LoaderId::APP
            && (names(&ERRANDS, &described.name) || described.name.starts_with("jdk/internal/reflect/"))
    }

    /// The method on whose behalf a thread is about to access something, and its instruction.
    pub(crate) fn accessor(&mut self, number: u32) -> (MethodId, u32) {
        self.nearest(number, |repute| repute == Repute::Errand)
    }

    /// The method nearest to the top of a thread's stack that is not passed by, and its instruction.
    fn nearest(&mut self, number: u32, passes: impl Fn(Repute) -> bool) -> (MethodId, u32) {
        let mut at = self.top_frame(number);
        // Whoever is about to access something has a frame.
        let (id, pc, _) = self.frame_at(at);
        let mut found = (id, pc);
        while at != 0 {
            let (id, pc, caller) = self.frame_at(at);
            found = (id, pc);
            let method = self.program.method(id);
            let is_passed = method.is_native() || method.index == u16::MAX || passes(self.repute(method.class));
            if !is_passed {
                break;
            }
            at = caller;
        }
        found
    }

    /// Whether two threads that race for a field of this class do so where its authors, or those who use it, have seen to that.
    /// Neither acts on behalf of the program's own code. `is_jdks` is whether the field is the JDK's own for sure.
    pub(crate) fn is_trusted_with(&mut self, class: ClassId, is_jdks: bool, one: u32, two: u32) -> bool {
        match self.repute(class) {
            Repute::Trusted | Repute::Errand => true,
            Repute::Internal => is_jdks || self.is_used_well(one) && self.is_used_well(two),
            Repute::Other => self.makes_view(one) && self.makes_view(two),
            Repute::User => false,
        }
    }

    /// Whether what a thread is about to do inside the JDK is done for a public class that is trusted. What static methods and constructors
    /// share is nobody's but the JDK's; and an internal class that the program itself calls stands for a public interface.
    fn is_used_well(&mut self, number: u32) -> bool {
        let passes = |repute| matches!(repute, Repute::Errand | Repute::Internal);
        let (id, _) = self.nearest(number, passes);
        let method = self.program.method(id);
        match self.repute(method.class) {
            Repute::Trusted | Repute::User => true,
            _ => method.is_static() || self.program.text(method.name).starts_with('<'),
        }
    }

    /// Whether a thread is about to look for, or to keep, a view of a map that is made when first asked for.
    fn makes_view(&mut self, number: u32) -> bool {
        let (id, _) = self.accessor(number);
        VIEWS.contains(&&**self.program.text(self.program.method(id).name))
    }

    /// The class on whose behalf a thread accesses an array, if that keeps such arrays to itself.
    pub(crate) fn keeper(&mut self, number: u32) -> Option<ClassId> {
        let (id, _) = self.accessor(number);
        let class = self.program.method(id).class;
        let described = self.program.class(class);
        (described.loader < LoaderId::APP && KEEPERS.contains(&&*described.name)).then_some(class)
    }

    /// Whether a method belongs to the program and not to the JDK or the machine.
    pub fn is_users(&self, method: &Method) -> bool {
        self.program.class(method.class).loader >= LoaderId::APP && method.index != u16::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_documented_is_trusted() {
        let cases = [
            ("java/lang/String", Repute::Trusted),
            ("java/lang/StringBuilder", Repute::Other),
            ("java/lang/AbstractStringBuilder", Repute::Other),
            ("java/lang/Thread$FieldHolder", Repute::Trusted),
            ("java/nio/Buffer", Repute::Other),
            ("java/nio/charset/Charset", Repute::Trusted),
            ("java/nio/charset/CharsetEncoder", Repute::Other),
            ("java/util/regex/Pattern$Node", Repute::Trusted),
            ("java/util/regex/Matcher", Repute::Other),
            ("java/security/MessageDigest", Repute::Other),
            ("java/time/LocalDate", Repute::Trusted),
            ("java/time/format/DateTimeFormatterBuilder", Repute::Other),
            ("java/util/ArrayList", Repute::Other),
            ("java/util/concurrent/ConcurrentHashMap$Node", Repute::Trusted),
            ("java/util/concurrent/atomic/AtomicInteger", Repute::Errand),
            ("java/util/concurrent/atomic/LongAdder", Repute::Trusted),
            ("java/lang/invoke/VarHandleInts$Array", Repute::Errand),
            ("sun/nio/cs/UTF_8$Encoder", Repute::Internal),
            ("sun/misc/Unsafe", Repute::Errand),
        ];
        for (class, expected) in cases {
            assert_eq!(repute_of_jdk(class), expected, "{class}");
        }
    }
}
