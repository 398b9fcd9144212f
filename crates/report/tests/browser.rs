//! The page in a browser: what it shows at a step, and how it steps.
//!
//! A fragment of the address selects the step, so that a browser without a window can show what it made of the page.

mod samples;

use report::html;
use report::model::Report;
use samples::*;
use std::path::PathBuf;
use std::process::Command;

fn browser() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// What the browser makes of the page at a fragment, after a script of the test; nothing where there is no browser.
fn dom(name: &str, report: &Report, fragment: &str, script: &str) -> Option<String> {
    let Some(browser) = browser() else {
        println!("skipped: no Chromium on this machine");
        return None;
    };
    let folder = std::env::temp_dir().join(format!("raddle-browser-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("page.html");
    let trap = "addEventListener('error', (e) => { document.documentElement.dataset.error = e.message; });";
    let page = html(report)
        .replace("<head>", &format!("<head><script>{trap}</script>"))
        .replace("</body>", &format!("<script>{script}</script></body>"));
    std::fs::write(&path, page).unwrap();
    let out = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-dev-shm-usage",
        ])
        .args(["--virtual-time-budget=2000", "--window-size=1280,900", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}#{fragment}", path.display()))
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.contains("<html"), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(!text.contains("data-error"), "{}", part(&text, "<html", "<head>"));
    Some(text)
}

/// Text between two marks, without tags.
fn part(dom: &str, start: &str, end: &str) -> String {
    let after = dom.split_once(start).unwrap_or_else(|| panic!("no {start} in {dom}")).1;
    let inside = after.split_once(end).expect("the part ends").0;
    let mut text = String::new();
    let mut tag = false;
    for c in inside.chars() {
        match c {
            '<' => tag = true,
            '>' if tag => tag = false,
            c if !tag => text.push(c),
            _ => {}
        }
    }
    text
}

/// The numbers of the steps that are marked as current; there should be one.
fn current(dom: &str) -> Vec<usize> {
    dom.split("<a ")
        .skip(1)
        .map(|tag| tag.split_once('>').unwrap().0)
        .filter(|tag| tag.contains("aria-current=\"step\""))
        .map(|tag| {
            tag.split_once("data-step=\"")
                .unwrap()
                .1
                .split_once('"')
                .unwrap()
                .0
                .parse()
                .unwrap()
        })
        .collect()
}

#[test]
fn a_step_shows_its_line_and_the_values() {
    let Some(dom) = dom("values", &lost_update(), "step=7", "") else {
        return;
    };
    assert_eq!(current(&dom), [7]);
    assert!(part(&dom, "role=\"status\">", "</p>").starts_with("Step 7 of 13 b"));
    let line = part(&dom, "<p class=\"line now", "</p>");
    assert!(line.ends_with("6        balance = seen + 1;b"), "{line}");
    assert_eq!(part(&dom, "<tr class=\"changed\">", "</tr>"), "Account.balance0 → 1");
    assert!(part(&dom, "<ul class=\"locks\">", "</ul>").contains("No lock is held."));
}

#[test]
fn a_source_that_is_not_there_is_said_to_be_missing() {
    let mut report = lost_update();
    // A name that every object of the script knows.
    report.violations[0].trace.rows[4].file = "constructor".into();
    let Some(dom) = dom("missing", &report, "step=5", "") else {
        return;
    };
    let source = part(&dom, "aria-label=\"Source\">", "</div>");
    assert_eq!(
        source,
        "constructor:55int seen = balance;The source file was not found."
    );
}

#[test]
fn values_stay_and_only_new_ones_are_marked() {
    let Some(dom) = dom("stay", &lost_update(), "step=8", "") else {
        return;
    };
    assert!(!dom.contains("<tr class=\"changed\">"));
    assert_eq!(part(&dom, "<table class=\"values\">", "</table>"), "Account.balance1");
}

#[test]
fn locks_show_who_holds_and_who_waits() {
    let Some(dom) = dom("locks", &deadlock(), "step=7", "") else {
        return;
    };
    let locks = part(&dom, "<ul class=\"locks\">", "</ul>");
    assert_eq!(
        locks,
        "Object#1 held by one, wanted by two Object#2 held by two, wanted by one "
    );
}

/// The steps that are current after each of some pieces of script, run in turn; a piece may await.
fn steps_after(name: &str, report: &Report, pieces: &[&str]) -> Option<Vec<String>> {
    let note = "document.title += ' ' + document.querySelector('[aria-current=step]').dataset.step;";
    let script = format!(
        "const press = (...keys) => keys.forEach((key) =>
           document.body.dispatchEvent(new KeyboardEvent('keydown', {{key, bubbles: true}})));
         const click = (what) => document.querySelector(what).click();
         const visit = (fragment) => new Promise((done) => {{
           addEventListener('hashchange', done, {{once: true}});
           location.hash = fragment;
         }});
         (async () => {{ document.title = 'steps'; {note} {} }})();",
        pieces
            .iter()
            .map(|piece| format!("{piece}; {note}"))
            .collect::<String>()
    );
    let dom = dom(name, report, "", &script)?;
    Some(
        part(&dom, "<title>steps", "</title>")
            .split_whitespace()
            .map(String::from)
            .collect(),
    )
}

#[test]
fn steps_beyond_the_ends_are_the_ends() {
    let visits =
        ["999", "-3", "", "x&violation=y", "1e99", "2.5", "0"].map(|step| format!("await visit('#step={step}')"));
    let Some(steps) = steps_after("ends", &deadlock(), &visits.each_ref().map(String::as_str)) else {
        return;
    };
    assert_eq!(steps, ["1", "7", "1", "1", "1", "7", "2", "1"]);
}

#[test]
fn a_fragment_selects_the_violation() {
    let Some(dom) = dom("select", &two_defects(), "violation=2&step=5", "") else {
        return;
    };
    assert_eq!(current(&dom), [5]);
    let shown: Vec<bool> = dom
        .split("<section class=\"violation\"")
        .skip(1)
        .map(|section| !section.split_once('>').unwrap().0.contains("hidden"))
        .collect();
    assert_eq!(shown, [false, true]);
    assert!(dom.contains("Object#2</code> held by"));
}

#[test]
fn keys_buttons_and_taps_step() {
    let pieces = [
        "press('ArrowRight', 'j', 'ArrowDown')",
        "press('End')",
        "press('j', 'ArrowRight')",
        "press('k', 'ArrowLeft', 'ArrowUp')",
        "press('Home', 'k')",
        "click('[data-go=on]'), click('[data-go=on]')",
        "click('[data-go=back]')",
        "click('[data-go=last]')",
        "click('[data-go=first]')",
        "click('[data-step=\"9\"] code')",
        "press('x', 'constructor', 'Enter')",
        "await visit('#step=6')",
    ];
    let Some(steps) = steps_after("keys", &lost_update(), &pieces) else {
        return;
    };
    assert_eq!(
        steps,
        ["1", "4", "13", "13", "10", "1", "3", "2", "13", "1", "9", "9", "6"]
    );
}

#[test]
fn folded_rounds_are_stepped_over_until_they_are_asked_for() {
    let pieces = [
        "press('j', 'j', 'j')",
        "press('k')",
        "press('End')",
        "click('[data-from]'), press('k')",
    ];
    let Some(steps) = steps_after("folds", &spinning(), &pieces) else {
        return;
    };
    assert_eq!(steps, ["1", "42", "3", "42", "41"]);
    let Some(dom) = dom("inside", &spinning(), "step=20", "") else {
        return;
    };
    assert_eq!(current(&dom), [20]);
    assert!(!dom.contains(" folded\""));
}

#[test]
fn odd_reports_are_no_problem() {
    for seed in [3, 4, 5] {
        let report = odd(seed);
        let rows = report.violations[0].trace.rows.len();
        let visits: Vec<String> = (1..=rows + 1)
            .map(|step| format!("await visit('#step={step}')"))
            .collect();
        let pieces: Vec<&str> = visits.iter().map(String::as_str).collect();
        let Some(steps) = steps_after("odd", &report, &pieces) else {
            return;
        };
        let expected: Vec<String> = (0..=rows + 1).map(|step| step.clamp(1, rows).to_string()).collect();
        assert_eq!(steps, expected);
    }
}

#[test]
fn choosing_a_violation_starts_it_from_the_beginning() {
    let script = "const list = document.getElementById('choice'); list.value = '2'; \
                  list.dispatchEvent(new Event('change')); document.title = location.hash;";
    let Some(dom) = dom("choose", &two_defects(), "step=3", script) else {
        return;
    };
    assert!(dom.contains("<title>#violation=2&amp;step=1</title>"));
}

#[test]
fn hostile_strings_stay_text() {
    let script =
        "document.title = document.images.length + ' images, ' + document.querySelectorAll('.js .inspector').length";
    let Some(dom) = dom("hostile", &hostile(), "step=2", script) else {
        return;
    };
    assert_eq!(part(&dom, "<title>", "</title>"), "0 images, 1");
    assert_eq!(current(&dom), [2]);
}

#[test]
fn a_page_without_violations_has_no_errors() {
    let script = "document.title = document.documentElement.className";
    let Some(dom) = dom("holds", &holds(), "step=3", script) else {
        return;
    };
    assert_eq!(part(&dom, "<title>", "</title>"), "js");
    assert!(!dom.contains("http://") && !dom.contains("https://"));
}
