//! `java.lang.Module`: which modules there are. Which may use what, the JDK itself keeps and checks; the machine, which
//! runs code of one program, does not check it again.

use crate::common::{Entry, non_null, nothing};
use machine::{Answer, Args, Machine, Outcome, raise};

const MODULE: &str = "java/lang/Module";

pub(crate) const METHODS: &[Entry] = &[
    (
        MODULE,
        "defineModule0",
        "(Ljava/lang/Module;ZLjava/lang/String;Ljava/lang/String;[Ljava/lang/Object;)V",
        define_module,
    ),
    (MODULE, "addReads0", "(Ljava/lang/Module;Ljava/lang/Module;)V", nothing),
    (
        MODULE,
        "addExports0",
        "(Ljava/lang/Module;Ljava/lang/String;Ljava/lang/Module;)V",
        nothing,
    ),
    (
        MODULE,
        "addExportsToAll0",
        "(Ljava/lang/Module;Ljava/lang/String;)V",
        nothing,
    ),
    (
        MODULE,
        "addExportsToAllUnnamed0",
        "(Ljava/lang/Module;Ljava/lang/String;)V",
        nothing,
    ),
];

fn define_module(m: &mut Machine<'_>, args: &Args) -> Answer {
    let module = non_null(args.word(0))?;
    let name = m.get(module, MODULE, "name");
    if name == 0 {
        return raise("java/lang/IllegalArgumentException", "Module name cannot be null");
    }
    m.define_module([module, name, args.word(2), args.word(3)], args.word(4))?;
    Ok(Outcome::Void)
}
