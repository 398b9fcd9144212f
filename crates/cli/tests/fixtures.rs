//! Every program under `fixtures/run` prints, byte for byte, what `java` prints.
//!
//! `RADDLE_FIXTURES=name,name` runs only some of them.

mod common;

use common::Fixture;

fn check(feature: u16) {
    let Some(jdk) = common::jdks().into_iter().find(|jdk| jdk.feature() == feature) else {
        return;
    };
    let wanted = std::env::var("RADDLE_FIXTURES").unwrap_or_default();
    let all = common::fixtures();
    let classes = common::compile(&all);
    let chosen: Vec<&Fixture> = all
        .iter()
        .filter(|fixture| fixture.jdk <= feature)
        .filter(|fixture| wanted.is_empty() || wanted.split(',').any(|name| name == fixture.name))
        .collect();
    let mut failures = Vec::new();
    common::with_machine(&jdk, &classes, |machine, console| {
        for fixture in &chosen {
            let started = std::time::Instant::now();
            let (out, err, status) = common::run(machine, console, fixture);
            if let Some(what) = difference(fixture, &out, &err, &status) {
                failures.push(format!("{}: {what}", fixture.name));
            }
            if started.elapsed().as_secs() >= 2 {
                eprintln!("{} took {:?} on JDK {feature}", fixture.name, started.elapsed());
            }
        }
    });
    let count = chosen.len();
    assert!(
        failures.is_empty(),
        "JDK {feature}: {} of {count} fixtures differ from java\n{}",
        failures.len(),
        failures.join("\n")
    );
    eprintln!("JDK {feature}: {count} fixtures print what java prints");
}

fn difference(fixture: &Fixture, out: &[u8], err: &[u8], status: &Result<i32, String>) -> Option<String> {
    match status {
        Err(why) => return Some(why.clone()),
        Ok(status) if *status != fixture.status => {
            let err = String::from_utf8_lossy(err);
            return Some(format!(
                "status {status}, not {}; {}",
                fixture.status,
                err.lines().take(8).collect::<Vec<_>>().join(" | ")
            ));
        }
        Ok(_) => {}
    }
    for (stream, got, wanted) in [("out", out, &fixture.out), ("err", err, &fixture.err)] {
        let (got, wanted) = (String::from_utf8_lossy(got), String::from_utf8_lossy(wanted));
        if got == wanted {
            continue;
        }
        let mut lines = got.lines().zip(wanted.lines()).enumerate();
        let (number, (got_line, wanted_line)) = lines
            .find(|(_, (got, wanted))| got != wanted)
            .unwrap_or((0, ("(its length)", "(another length)")));
        return Some(format!(
            "{stream} line {}: got {got_line:?}, not {wanted_line:?}",
            number + 1
        ));
    }
    None
}

#[test]
fn fixtures_print_what_java_prints_on_17() {
    check(17);
}

#[test]
fn fixtures_print_what_java_prints_on_21() {
    check(21);
}

#[test]
fn fixtures_print_what_java_prints_on_25() {
    check(25);
}
