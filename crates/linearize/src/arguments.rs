//! Arguments: a few values of each type, so that calls have something to do with each other.

/// Of one method, at most so many calls.
const MOST: usize = 4;

/// An argument as it is written, and as it is told.
pub(crate) type Argument = (String, String);

/// Functions: what they are, and what is tried.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("java/lang/Runnable", &["() -> { }"]),
    ("java/util/concurrent/Callable", &["() -> 3"]),
    ("java/util/function/Supplier", &["() -> 3"]),
    ("java/util/function/Consumer", &["one -> { }"]),
    ("java/util/function/BiConsumer", &["(one, two) -> { }"]),
    ("java/util/function/Predicate", &["one -> true"]),
    ("java/util/function/BiPredicate", &["(one, two) -> true"]),
    ("java/util/function/Function", &["one -> 3", "one -> null"]),
    (
        "java/util/function/BiFunction",
        &["(one, two) -> 3", "(one, two) -> null"],
    ),
    ("java/util/function/UnaryOperator", &["one -> 3"]),
    ("java/util/function/BinaryOperator", &["(one, two) -> 3"]),
    (
        "java/util/function/IntUnaryOperator",
        &["one -> one + 1", "one -> one * 2"],
    ),
    (
        "java/util/function/LongUnaryOperator",
        &["one -> one + 1", "one -> one * 2"],
    ),
    ("java/util/function/IntBinaryOperator", &["(one, two) -> one + two"]),
    ("java/util/function/LongBinaryOperator", &["(one, two) -> one + two"]),
    ("java/util/function/ToIntFunction", &["one -> 3"]),
    ("java/util/function/ToLongFunction", &["one -> 3"]),
];

/// Other values by descriptor. Objects of any class are small numbers, which are identical where they are equal.
const VALUES: &[(&str, &[&str])] = &[
    ("Z", &["true", "false"]),
    ("B", &["(byte) 1", "(byte) 2"]),
    ("S", &["(short) 1", "(short) 2"]),
    ("C", &["'a'", "'b'"]),
    ("I", &["1", "2"]),
    ("J", &["1L", "2L"]),
    ("F", &["1f", "2f"]),
    ("D", &["1.0", "2.0"]),
    ("Ljava/lang/Object;", &["1", "2"]),
    ("Ljava/lang/Comparable;", &["1", "2"]),
    ("Ljava/lang/Number;", &["1", "2"]),
    ("Ljava/io/Serializable;", &["1", "2"]),
    ("Ljava/lang/Integer;", &["1", "2"]),
    ("Ljava/lang/Long;", &["1L", "2L"]),
    ("Ljava/lang/Boolean;", &["true", "false"]),
    ("Ljava/lang/String;", &["\"a\"", "\"b\""]),
    ("Ljava/lang/CharSequence;", &["\"a\"", "\"b\""]),
    ("Ljava/util/Collection;", &["java.util.List.of(1, 2)"]),
    ("Ljava/util/List;", &["java.util.List.of(1, 2)"]),
    ("Ljava/lang/Iterable;", &["java.util.List.of(1, 2)"]),
    ("Ljava/util/Map;", &["java.util.Map.of(1, 2)"]),
    ("[Ljava/lang/Object;", &["new Object[0]"]),
    (
        "Ljava/util/concurrent/TimeUnit;",
        &["java.util.concurrent.TimeUnit.MILLISECONDS"],
    ),
];

/// The arguments that are tried for these parameters: the first parameter changes last, so that keys are often the same.
pub(crate) fn tuples(parameters: &[String]) -> Vec<Vec<Argument>> {
    let mut tuples = vec![Vec::new()];
    for (position, parameter) in parameters.iter().enumerate() {
        let is_limit = parameter == "J"
            && parameters
                .get(position + 1)
                .is_some_and(|next| next.ends_with("/TimeUnit;"));
        let values = match is_limit {
            true => vec![("1".to_owned(), "1".to_owned())],
            false => values(parameter),
        };
        let longer = |tuple: &Vec<Argument>| {
            let with = |value: &Argument| [&tuple[..], std::slice::from_ref(value)].concat();
            values.iter().map(with).collect::<Vec<_>>()
        };
        tuples = tuples.iter().flat_map(longer).collect();
    }
    tuples.truncate(MOST);
    tuples
}

/// The values that are tried for a type.
fn values(descriptor: &str) -> Vec<Argument> {
    let told = |text: &str| {
        text.rsplit_once(") ")
            .map_or(text, |(_, value)| value)
            .replace("java.util.concurrent.", "")
    };
    if let Some((_, values)) = VALUES.iter().find(|(of, _)| *of == descriptor) {
        let told = |text: &str| match text.starts_with('(') {
            true => told(text),
            false => text.replace("java.util.concurrent.", "").replace("java.util.", ""),
        };
        return values.iter().map(|&text| (text.to_owned(), told(text))).collect();
    }
    let class = descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';'));
    let function = class.and_then(|class| FUNCTIONS.iter().find(|(of, _)| *of == class));
    function.map_or(Vec::new(), |(of, bodies)| {
        let of = of.replace('/', ".");
        bodies
            .iter()
            .map(|&body| (format!("({of}) ({body})"), body.to_owned()))
            .collect()
    })
}

/// The value of this number for each parameter, if there are any.
pub(crate) fn same(parameters: &[String], number: usize) -> Option<Vec<Argument>> {
    parameters
        .iter()
        .map(|parameter| {
            let values = values(parameter);
            values.get(number.min(values.len().checked_sub(1)?)).cloned()
        })
        .collect()
}

/// Whether what it holds must be looked at to compare values of a type.
pub(crate) fn is_compound(descriptor: &str) -> bool {
    let is_plain = |class: &str| {
        let boxed = [
            "Integer",
            "Long",
            "Boolean",
            "String",
            "Short",
            "Byte",
            "Character",
            "Float",
            "Double",
        ];
        class
            .strip_prefix("java/lang/")
            .is_some_and(|name| boxed.contains(&name))
    };
    match descriptor.strip_prefix('L').and_then(|rest| rest.strip_suffix(';')) {
        Some(class) => !is_plain(class),
        None => descriptor.starts_with('['),
    }
}

/// The name of a type, without its package.
pub(crate) fn simple_name(descriptor: &str) -> String {
    let name = java_name(descriptor);
    name.rsplit('.').next().unwrap_or(&name).to_owned()
}

/// The name of a type as Java writes it.
pub(crate) fn java_name(descriptor: &str) -> String {
    let dimensions = descriptor.bytes().take_while(|&byte| byte == b'[').count();
    let name = match &descriptor[dimensions..] {
        "Z" => "boolean",
        "B" => "byte",
        "S" => "short",
        "C" => "char",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        class => &class
            .trim_start_matches('L')
            .trim_end_matches(';')
            .replace(['/', '$'], "."),
    };
    format!("{name}{}", "[]".repeat(dimensions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_often_the_same_and_limits_of_time_are_short() {
        let told = |parameters: &[&str]| {
            let parameters: Vec<String> = parameters.iter().map(|&one| one.to_owned()).collect();
            let tuples = tuples(&parameters);
            let tell = |tuple: &Vec<Argument>| tuple.iter().map(|one| &*one.1).collect::<Vec<_>>().join(", ");
            tuples.iter().map(tell).collect::<Vec<_>>()
        };
        assert_eq!(told(&[]), [""]);
        assert_eq!(told(&["Ljava/lang/Object;", "I"]), ["1, 1", "1, 2", "2, 1", "2, 2"]);
        assert_eq!(
            told(&["J", "Ljava/util/concurrent/TimeUnit;"]),
            ["1, TimeUnit.MILLISECONDS"]
        );
        assert_eq!(told(&["S"]), ["1", "2"]);
        assert_eq!(told(&["Lp/Unknown;"]), [""; 0]);
        assert_eq!(told(&["Ljava/util/function/Function;"]), ["one -> 3", "one -> null"]);
    }
}
