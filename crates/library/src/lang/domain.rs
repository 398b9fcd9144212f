//! Protection domains: those that a loader gives, and those of the class path, which tell where a class came from.

use crate::common::{Entry, jdk_class, unsupported};
use machine::assemble::Assembler;
use machine::support::root::DOMAINS;
use machine::{Address, Answer, Args, Machine, Outcome, Trap};
use program::ir::{Instr, RegisterKind};
use program::world::{ClassId, LoaderId, MethodId};

const CLASS: &str = "java/lang/Class";
const DOMAIN: &str = "()Ljava/security/ProtectionDomain;";

/// In older JDKs a native method; null means the domain that permits all.
pub(crate) const METHODS: &[Entry] = &[(CLASS, "getProtectionDomain0", DOMAIN, |m, args| {
    let of = m.mirrored(args.word(0));
    match known(m, args.word(0)) {
        0 => Ok(of_class_path(m, of)?.unwrap_or(Outcome::Word(0))),
        domain => Ok(domain.into()),
    }
})];

/// In newer ones a getter of a field, which a JVM fills when the class is defined.
pub(crate) const REPLACED: &[Entry] = &[(CLASS, "getProtectionDomain", DOMAIN, get_protection_domain)];

/// Keeps the domain of a class that is being defined.
pub(crate) fn set_domain(m: &mut Machine<'_>, mirror: Address, domain: Address) -> Result<(), Trap> {
    if domain == 0 {
        return Ok(());
    }
    if let Some(offset) = m.find_offset(CLASS, "protectionDomain") {
        m.memory.store(mirror + offset, domain);
        return Ok(());
    }
    let of = m.mirrored(mirror).0;
    let table = m.root_array(DOMAINS, of + 1)?;
    m.set_element(table, of, domain);
    Ok(())
}

/// The domain that was kept, or 0.
fn known(m: &mut Machine<'_>, mirror: Address) -> Address {
    if let Some(offset) = m.find_offset(CLASS, "protectionDomain") {
        return m.memory.load(mirror + offset);
    }
    let of = m.mirrored(mirror).0;
    // SOUNDNESS: the domain of a class is entered when the class is defined.
    m.settled(|m| match m.root(DOMAINS) {
        table if table != 0 && of < m.array_length(table) => m.element(table, of),
        _ => 0,
    })
}

fn get_protection_domain(m: &mut Machine<'_>, args: &Args) -> Answer {
    let mirror = args.word(0);
    if m.find_offset(CLASS, "protectionDomain").is_none() {
        // The JDK's own way: a native method, then the domain that permits all.
        let class = m.known.class;
        return match m.program.find_method(class, "protectionDomain", DOMAIN) {
            Some(method) => Ok(Outcome::Call(method, vec![mirror])),
            None => unsupported("java.lang.Class.getProtectionDomain"),
        };
    }
    let domain = known(m, mirror);
    if domain != 0 {
        return Ok(domain.into());
    }
    let of = m.mirrored(mirror);
    if let Some(outcome) = of_class_path(m, of)? {
        return Ok(outcome);
    }
    let holder = jdk_class(m, "java/lang/Class$Holder")?;
    m.require_initialized(holder)?;
    let found = m
        .program
        .field(holder, "allPermDomain", "Ljava/security/ProtectionDomain;");
    match found {
        Some(found) => {
            let statics = m.statics(holder)?;
            Ok(m.memory.load(statics + found.field.offset).into())
        }
        None => unsupported("java.lang.Class.getProtectionDomain"),
    }
}

/// Kind of adaptor.
const MAKING: u32 = 0x4000_0050;

/// `loader.getProtectionDomain(new CodeSource(new URL(place), null))` for a class of the class path.
fn of_class_path(m: &mut Machine<'_>, of: ClassId) -> Result<Option<Outcome>, Trap> {
    let class = m.program.class(of);
    if class.loader != LoaderId::APP || !class.module.is_empty() || class.is_array() {
        return Ok(None);
    }
    let name = match class.hidden {
        // A hidden class has the domain of the class beside which it was defined.
        true => class.name.split('+').next().unwrap_or_default(),
        false => &*class.name,
    };
    let host = class.host.map_or(name, |host| &*m.program.class(host).name);
    let Ok(Some(hit)) = m.program.class_path.class(host) else {
        return Ok(None);
    };
    let text = hit.origin.to_string_lossy();
    let is_folder = m.shared.files.is_folder(&text);
    let path = crate::io::open::normal(&text);
    let place = m.new_string(&format!("file:{path}{}", if is_folder { "/" } else { "" }))?;
    let mirror = m.mirror(of)?;
    let loader = m.get(mirror, CLASS, "classLoader");
    let find = |m: &Machine<'_>, class: &str, name: &str, descriptor: &str| -> Result<(ClassId, MethodId), Trap> {
        let id = jdk_class(m, class)?;
        match m.program.find_method(id, name, descriptor) {
            Some(method) => Ok((id, method)),
            None => unsupported(format!("{}.{name}", class.replace('/', "."))),
        }
    };
    let (url, new_url) = find(m, "java/net/URL", "<init>", "(Ljava/lang/String;)V")?;
    let new_source = "(Ljava/net/URL;[Ljava/security/CodeSigner;)V";
    let (source, new_source) = find(m, "java/security/CodeSource", "<init>", new_source)?;
    let get = "(Ljava/security/CodeSource;)Ljava/security/ProtectionDomain;";
    let (_, get) = find(m, "java/security/SecureClassLoader", "getProtectionDomain", get)?;
    let descriptor = "(Ljava/lang/String;Ljava/lang/ClassLoader;)Ljava/security/ProtectionDomain;";
    let adaptor = m.adaptor(MAKING, 0, None, descriptor, |_| {
        let mut assembler = Assembler::new(&[RegisterKind::Ref; 2]);
        let (place, made, none) = (
            assembler.register(RegisterKind::Ref),
            assembler.register(RegisterKind::Ref),
            assembler.register(RegisterKind::Ref),
        );
        assembler.new_object(place, url);
        assembler.call_direct(new_url, &[place, 0], None);
        assembler.push(Instr::Const { d: none, value: 0 });
        assembler.new_object(made, source);
        assembler.call_direct(new_source, &[made, place, none], None);
        assembler.call_direct(get, &[1, made], Some(made));
        assembler.push(Instr::Return { s: made });
        Ok(assembler)
    })?;
    Ok(Some(Outcome::Call(adaptor, vec![place, loader])))
}
