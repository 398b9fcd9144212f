//! `raddle certify`: a sample of what the certificates say, proved again.

use std::path::Path;
use std::process::{Command, Output};

fn certify(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.arg("certify").args(arguments).output().expect("raddle runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_sample_is_proved_again_and_kept() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificates.txt");
    // From another run.
    let _ = std::fs::remove_file(&file);
    let file = file.to_string_lossy();
    let few = ["--most", "6", "--sample", "3", "--states", "20000", "--out", &file];
    let again = [&["--again", "CountDownLatch", "ConcurrentLinkedQueue"][..], &few].concat();
    let output = certify(&again);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert_eq!(said.matches(" certified: ").count(), 2, "{said}");
    let kept = std::fs::read_to_string(Path::new(&*file)).expect("certificates were written");
    assert!(kept.contains("group CountDownLatch\n  bytecode "), "{kept}");
    assert!(kept.contains("group ConcurrentLinkedQueue\n"), "{kept}");
    // What is there is not proved once more.
    let output = certify(&[&["CountDownLatch"][..], &few].concat());
    assert!(
        text(&output.stdout).contains("certified before"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_group_that_there_is_not_is_refused() {
    let output = certify(&["Nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("there is no group Nonsense") && said.contains("ReentrantLock"),
        "{said}"
    );
}
