//! `java.io.PrintStream` on the program's standard output and error, while a program is explored: printing is no step of
//! its own, takes no lock and leaves nothing behind. Every other stream runs its own code.

use crate::common::{Entry, jdk_class, non_null};
use crate::io::streams::checked;
use machine::assemble::Assembler;
use machine::assumption::PRINTS;
use machine::heap::ARRAY_BASE;
use machine::{Address, Answer, Args, Machine, Outcome, Trap};
use program::ir::{Instr, RegisterKind};
use program::world::LoaderId;

const STREAM: &str = "java/io/PrintStream";
const FORMATTED: &str = "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;";
const FORMATTED_FOR: &str = "(Ljava/util/Locale;Ljava/lang/String;[Ljava/lang/Object;)Ljava/io/PrintStream;";

/// Kinds of adaptors.
const FORMAT: u32 = 0x4000_0070;

pub(crate) const REPLACED: &[Entry] = &[
    (STREAM, "write", "(Ljava/lang/String;)V", |m, args| string(m, args, "")),
    (STREAM, "writeln", "(Ljava/lang/String;)V", |m, args| {
        string(m, args, "\n")
    }),
    (STREAM, "write", "([C)V", |m, args| characters(m, args, "")),
    (STREAM, "writeln", "([C)V", |m, args| characters(m, args, "\n")),
    (STREAM, "newLine", "()V", |m, args| {
        print(m, args, |_| Ok(b"\n".to_vec()))
    }),
    (STREAM, "write", "(I)V", |m, args| {
        print(m, args, |_| Ok(vec![args.word(1) as u8]))
    }),
    (STREAM, "write", "([BII)V", bytes),
    (STREAM, "flush", "()V", |m, args| print(m, args, |_| Ok(Vec::new()))),
    (STREAM, "format", FORMATTED, |m, args| {
        format(m, args, "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;", 2)
    }),
    (STREAM, "format", FORMATTED_FOR, |m, args| {
        let descriptor = "(Ljava/util/Locale;Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/String;";
        format(m, args, descriptor, 3)
    }),
];

/// The standard stream behind a print stream as the JDK makes it: 1 or 2.
fn console(m: &mut Machine<'_>, stream: Address) -> Option<u32> {
    if m.semantics.prints {
        return None;
    }
    // SOUNDNESS: a print stream leads where it was made to lead until it is closed, and what is printed to a closed one is lost.
    m.settled_mut(|m| behind(m, stream))
}

fn behind(m: &mut Machine<'_>, stream: Address) -> Option<u32> {
    let mut at = stream;
    for class in ["java/io/PrintStream", "java/io/BufferedOutputStream"] {
        if *m.program.class(m.class_of(at)).name != *class {
            return None;
        }
        at = m.get(at, "java/io/FilterOutputStream", "out");
        if at == 0 {
            return None;
        }
    }
    // Newer JDKs have a class of their own for it.
    let files = ["java/io/FileOutputStream", "java/lang/System$Out"];
    if !files.contains(&&*m.program.class(m.class_of(at)).name) {
        return None;
    }
    let descriptor = m.get(at, "java/io/FileOutputStream", "fd");
    if descriptor == 0 {
        return None;
    }
    let number = m.get(descriptor, "java/io/FileDescriptor", "fd");
    matches!(number, 1 | 2).then_some(number)
}

fn print(m: &mut Machine<'_>, args: &Args, text: impl FnOnce(&mut Machine<'_>) -> Result<Vec<u8>, Trap>) -> Answer {
    let Some(number) = console(m, args.word(0)) else {
        return Ok(Outcome::Body);
    };
    let text = text(m)?;
    m.console.write(number, &text);
    Ok(Outcome::Void)
}

fn string(m: &mut Machine<'_>, args: &Args, end: &str) -> Answer {
    print(m, args, |m| {
        let text = m.text_or_null(args.word(1)).unwrap_or_else(|| "null".to_owned());
        Ok((text + end).into_bytes())
    })
}

fn characters(m: &mut Machine<'_>, args: &Args, end: &str) -> Answer {
    print(m, args, |m| {
        let array = non_null(args.word(1))?;
        let count = m.array_length(array) as usize;
        let units: Vec<u16> = (0..count)
            .map(|index| m.memory.load_short(array, ARRAY_BASE + index * 2))
            .collect();
        Ok((String::from_utf16_lossy(&units) + end).into_bytes())
    })
}

fn bytes(m: &mut Machine<'_>, args: &Args) -> Answer {
    let (start, count) = (args.int(2), args.int(3));
    print(m, args, |m| {
        let array = non_null(args.word(1))?;
        let (start, count) = checked(m, array, start, count)?;
        Ok(m.memory.bytes(array, ARRAY_BASE + start, count).to_vec())
    })
}

/// `write(String.format(…)); return this`.
fn format(m: &mut Machine<'_>, args: &Args, descriptor: &str, count: u16) -> Answer {
    if console(m, args.word(0)).is_none() {
        return Ok(Outcome::Body);
    }
    // The JDK formats while it holds the stream's lock: code of the program's own that runs then may want other locks.
    let array = args.word(usize::from(count));
    let users = array != 0
        && (0..m.array_length(array)).any(|index| {
            let object = m.element(array, index);
            object != 0 && m.program.class(m.class_of(object)).loader >= LoaderId::APP
        });
    if users {
        m.violate(&PRINTS);
    }
    let missing = || Trap::Unsupported("java.io.PrintStream.format".to_owned());
    let (text, stream) = (jdk_class(m, "java/lang/String")?, jdk_class(m, STREAM)?);
    let formats = m.program.find_method(text, "format", descriptor).ok_or_else(missing)?;
    let writes = m
        .program
        .find_method(stream, "write", "(Ljava/lang/String;)V")
        .ok_or_else(missing)?;
    let shape = if count == 2 {
        "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"
    } else {
        "(Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;"
    };
    let adaptor = m.adaptor(FORMAT, count.into(), None, shape, |_| {
        let mut assembler = Assembler::new(&vec![RegisterKind::Ref; usize::from(count) + 1]);
        let made = assembler.register(RegisterKind::Ref);
        let words: Vec<u16> = (1..=count).collect();
        assembler.call_static(formats, &words, Some(made));
        assembler.call_direct(writes, &[0, made], None);
        assembler.push(Instr::Return { s: 0 });
        Ok(assembler)
    })?;
    let words = (0..=usize::from(count)).map(|position| args.word(position)).collect();
    Ok(Outcome::Call(adaptor, words))
}
