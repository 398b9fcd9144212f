//! The page of a report, as text. What its script does is tested in a browser.

mod samples;

use report::html;
use report::model::Report;
use samples::*;

fn all() -> Vec<Report> {
    let mut all = vec![
        lost_update(),
        deadlock(),
        two_defects(),
        unknown(),
        holds(),
        hostile(),
        spinning(),
    ];
    all.push(Report::default());
    all.extend((0..100).map(odd));
    all
}

/// The page without its style and scripts, and the names of its tags in order.
fn tags(page: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("a tag ends");
        let name = tag.split_whitespace().next().unwrap_or_default().to_string();
        rest = match name.as_str() {
            "style" | "script" => after.split_once(&format!("</{name}>")).expect("the element ends").1,
            _ => after,
        };
        if !["style", "script", "meta", "br", "!doctype"].contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

#[test]
fn every_element_that_begins_ends() {
    for report in all() {
        let mut open = Vec::new();
        for tag in tags(&html(&report)) {
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop().as_deref(), Some(name)),
                None => open.push(tag),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
}

#[test]
fn the_page_needs_nothing_else() {
    for report in all() {
        let page = html(&report);
        for word in ["http://", "https://", "src=\"", "@import", "url(", "<link", "<iframe"] {
            assert!(!page.contains(word), "{word}");
        }
        for link in page.split("href=\"").skip(1) {
            assert!(link.starts_with('#'), "{}", &link[..20]);
        }
    }
}

#[test]
fn strings_of_the_program_are_never_markup() {
    let page = html(&hostile());
    assert!(!page.contains("<img") && !page.contains('\u{2028}') && !page.contains('\u{202e}'));
    assert_eq!(page.chars().find(|c| c.is_control() && *c != '\n'), None);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
}

#[test]
fn the_list_is_complete_without_the_script() {
    let page = html(&two_defects());
    for part in [
        "<span class=\"who\">main</span>",
        "<span class=\"at\">Account.java:5</span></span><code>int seen = balance;</code>",
        "<span class=\"event write\">Account.balance: 0 → 1</span>",
        "<span class=\"held\">Object#1 held by one, wanted by two</span>",
        "↻ from here on it repeats for ever",
        "nothing orders the two</li>",
        "<dt>states</dt><dd>12,345</dd>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn other_verdicts_have_no_timeline() {
    for (report, part) in [(holds(), "holds</span>"), (unknown(), "<b>Help:</b> raise the limit")] {
        let page = html(&report);
        assert!(page.contains(part) && !page.contains("class=\"timeline"));
    }
}

#[test]
fn folded_steps_are_in_the_page_too() {
    let page = html(&spinning());
    assert!(page.contains("… the last 2 rows repeated 19 more times"));
    assert_eq!(page.matches("data-step=\"").count(), 42);
}
