//! Resources of the JDK's own modules, which it would read from its image file by itself.
//!
//! `SystemModuleReader`, through which nearly all of them are found and read, is answered from the image directly. What
//! asks for the image itself (`jrt:` addresses and paths) gets its index in memory and reads the rest as a file.

use crate::common::{Entry, jdk_class, non_null, nothing, unsupported};
use machine::assemble::Assembler;
use machine::{Address, Answer, Args, Machine, Outcome, Trap};
use program::bytes::Bytes;
use program::ir::{Instr, RegisterKind};
use program::world::MethodId;

const READER: &str = "jdk/internal/module/SystemModuleFinders$SystemModuleReader";

pub(crate) const METHODS: &[Entry] = &[(
    "jdk/internal/jimage/NativeImageBuffer",
    "getNativeMap",
    "(Ljava/lang/String;)Ljava/nio/ByteBuffer;",
    index_of_image,
)];

pub(crate) const REPLACED: &[Entry] = &[
    // Whether the image is to be mapped as a whole: it is not.
    (
        "jdk/internal/jimage/BasicImageReader",
        "isSystemProperty",
        "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)Z",
        |m, args| Ok((m.text(non_null(args.word(0))?) != "jdk.image.map.all").into()),
    ),
    (READER, "containsImageLocation", "(Ljava/lang/String;)Z", |m, args| {
        Ok(find(m, args)?.is_some().into())
    }),
    (READER, "open", "(Ljava/lang/String;)Ljava/util/Optional;", open),
    (READER, "read", "(Ljava/lang/String;)Ljava/util/Optional;", read),
    (READER, "release", "(Ljava/nio/ByteBuffer;)V", nothing),
];

/// Kinds of adaptors.
const OPENING: u32 = 0x4000_0020;
const READING: u32 = 0x4000_0021;

/// The resource of the reader's module with this name.
fn find(m: &mut Machine<'_>, args: &Args) -> Result<Option<Bytes>, Trap> {
    let name = m.text(non_null(args.word(1))?);
    let module = m.get(args.word(0), READER, "module");
    let module = m.text(non_null(module)?);
    Ok(m.program.image.find(&module, &name))
}

fn method(m: &Machine<'_>, class: &str, name: &str, descriptor: &str) -> Result<MethodId, Trap> {
    let id = jdk_class(m, class)?;
    match m.program.find_method(id, name, descriptor) {
        Some(method) => Ok(method),
        None => unsupported(format!("{}.{name}", class.replace('/', "."))),
    }
}

/// `Optional.ofNullable` of what `make` puts into register 1 from the bytes in register 0.
fn optional(
    m: &mut Machine<'_>,
    kind: u32,
    bytes: Option<Bytes>,
    make: impl FnOnce(&mut Machine<'_>, &mut Assembler) -> Result<(), Trap>,
) -> Answer {
    let of = method(
        m,
        "java/util/Optional",
        "ofNullable",
        "(Ljava/lang/Object;)Ljava/util/Optional;",
    )?;
    let array: Address = match &bytes {
        Some(bytes) => m.new_bytes(bytes)?,
        None => return Ok(Outcome::Call(of, vec![0])),
    };
    let adaptor = m.adaptor(kind, 0, None, "([B)Ljava/util/Optional;", |m| {
        let mut assembler = Assembler::new(&[RegisterKind::Ref]);
        let made = assembler.register(RegisterKind::Ref);
        make(m, &mut assembler)?;
        assembler.call_static(of, &[made], Some(made));
        assembler.push(Instr::Return { s: made });
        Ok(assembler)
    })?;
    Ok(Outcome::Call(adaptor, vec![array]))
}

fn open(m: &mut Machine<'_>, args: &Args) -> Answer {
    let bytes = find(m, args)?;
    optional(m, OPENING, bytes, |m, assembler| {
        const STREAM: &str = "java/io/ByteArrayInputStream";
        let constructor = method(m, STREAM, "<init>", "([B)V")?;
        assembler.new_object(1, jdk_class(m, STREAM)?);
        assembler.call_direct(constructor, &[1, 0], None);
        Ok(())
    })
}

fn read(m: &mut Machine<'_>, args: &Args) -> Answer {
    let bytes = find(m, args)?;
    optional(m, READING, bytes, |m, assembler| {
        let wrap = method(m, "java/nio/ByteBuffer", "wrap", "([B)Ljava/nio/ByteBuffer;")?;
        assembler.call_static(wrap, &[0], Some(1));
        Ok(())
    })
}

/// A buffer with the tables at the beginning of the image file; null if it is none.
fn index_of_image(m: &mut Machine<'_>, args: &Args) -> Answer {
    const HEADER: usize = 28;
    let path = m.text(non_null(args.word(0))?);
    let path = crate::io::open::window(m, &path)?;
    let Some(contents) = m.shared.files.read(&path) else {
        return Ok(Outcome::Word(0));
    };
    let word = |index: usize| {
        let bytes = contents.get(index * 4..index * 4 + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize)
    };
    // Length of the hash table, sizes of the locations and of the strings.
    let sizes = word(4).zip(word(5)).zip(word(6));
    let Some(((length, locations), strings)) = sizes else {
        return Ok(Outcome::Word(0));
    };
    let Some(index) = contents.get(..HEADER + length * 8 + locations + strings) else {
        return Ok(Outcome::Word(0));
    };
    let bytes = m.new_bytes(index)?;
    let wrap = method(m, "java/nio/ByteBuffer", "wrap", "([B)Ljava/nio/ByteBuffer;")?;
    Ok(Outcome::Call(wrap, vec![bytes]))
}
