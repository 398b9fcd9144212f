//! `java.net` addresses, as far as they need no network: one host, `localhost`, and IPv4 only. Sockets are not
//! supported.

use crate::common::{Entry, array_of, jdk_class, non_null, nothing, unsupported, yes, zero};
use machine::assemble::Assembler;
use machine::{Answer, Args, Machine, Outcome};
use program::ir::{Instr, RegisterKind};

const FOUR: &str = "java/net/Inet4AddressImpl";
const INTERFACE: &str = "java/net/NetworkInterface";

pub(crate) const METHODS: &[Entry] = &[
    ("java/net/InetAddress", "init", "()V", nothing),
    ("java/net/InetAddress", "isIPv4Available", "()Z", yes),
    ("java/net/InetAddress", "isIPv6Supported", "()Z", zero),
    ("java/net/InetAddressImplFactory", "isIPv6Supported", "()Z", zero),
    ("java/net/Inet4Address", "init", "()V", nothing),
    ("java/net/Inet6Address", "init", "()V", nothing),
    (FOUR, "getLocalHostName", "()Ljava/lang/String;", |m, _| {
        Ok(m.new_string("localhost")?.into())
    }),
    (
        FOUR,
        "lookupAllHostAddr",
        "(Ljava/lang/String;)[Ljava/net/InetAddress;",
        look_up,
    ),
    (FOUR, "getHostByAddr", "([B)Ljava/lang/String;", |m, args| {
        match m.byte_array(non_null(args.word(1))?) {
            [127, ..] => Ok(m.new_string("localhost")?.into()),
            address => unsupported(format!("looking up the host with address {address:?}")),
        }
    }),
    (FOUR, "isReachable0", "([BI[BI)Z", |_, _| {
        unsupported("java.net.InetAddress.isReachable")
    }),
    (INTERFACE, "init", "()V", nothing),
    (INTERFACE, "getAll", "()[Ljava/net/NetworkInterface;", |_, _| {
        unsupported("java.net.NetworkInterface")
    }),
    (
        INTERFACE,
        "getByName0",
        "(Ljava/lang/String;)Ljava/net/NetworkInterface;",
        |_, _| unsupported("java.net.NetworkInterface"),
    ),
];

/// Kind of adaptor.
const LOCALHOST: u32 = 0x4000_0030;

/// `new InetAddress[] { InetAddress.getByAddress(name, bytes) }`.
fn look_up(m: &mut Machine<'_>, args: &Args) -> Answer {
    let name = non_null(args.word(1))?;
    let text = m.text(name);
    if text != "localhost" {
        return unsupported(format!("looking up the host {text}"));
    }
    let class = jdk_class(m, "java/net/InetAddress")?;
    let make = "(Ljava/lang/String;[B)Ljava/net/InetAddress;";
    let Some(make) = m.program.find_method(class, "getByAddress", make) else {
        return unsupported("java.net.InetAddress.getByAddress");
    };
    let array_class = array_of(m, class)?;
    let array = m.new_array(array_class, 1)?;
    let bytes = m.new_bytes(&[127, 0, 0, 1])?;
    let descriptor = "(Ljava/lang/String;[B[Ljava/net/InetAddress;)[Ljava/net/InetAddress;";
    let adaptor = m.adaptor(LOCALHOST, 0, None, descriptor, |_| {
        let mut assembler = Assembler::new(&[RegisterKind::Ref; 3]);
        let address = assembler.register(RegisterKind::Ref);
        let index = assembler.register(RegisterKind::Word);
        assembler.call_static(make, &[0, 1], Some(address));
        assembler.push(Instr::Const { d: index, value: 0 });
        assembler.push(Instr::ArrayPutRef {
            o: 2,
            i: index,
            s: address,
        });
        assembler.push(Instr::Return { s: 2 });
        Ok(assembler)
    })?;
    Ok(Outcome::Call(adaptor, vec![name, bytes, array]))
}
