//! A history in words, and why no order of its calls accounts for it.

use crate::history::{Ended, History, Place};
use crate::scenario::{Call, Scenario, thread_name};

/// Orders that are told, besides a line for the rest.
const SHOWN: usize = 8;
/// Orders that are looked at.
const MOST: usize = 2000;

/// A history in words: a line for each call.
pub fn told(scenario: &Scenario, history: &History) -> Vec<String> {
    let line = |place: Place| {
        let result = match &history.at(place).ended {
            None => " waits for ever".to_owned(),
            Some(ended) => outcome(call_at(scenario, place), ended),
        };
        let before: Vec<String> = (0..history.threads.len())
            .filter(|&thread| thread != place.0)
            .filter_map(|thread| {
                let count = history.at(place).after[thread] as usize;
                // What an earlier call of this thread came after need not be said again.
                let known = place
                    .1
                    .checked_sub(1)
                    .map_or(0, |call| history.at((place.0, call)).after[thread]);
                (count > known as usize).then(|| named(scenario, (thread, count - 1)))
            })
            .collect();
        let after = match before.is_empty() {
            true => String::new(),
            false => format!(", begun after {} had ended", before.join(" and ")),
        };
        format!("{}{result}{after}", named(scenario, place))
    };
    history.places().map(line).collect()
}

/// Why no order of its calls accounts for a history, where these are the histories of calls that are indivisible.
pub fn explain(scenario: &Scenario, history: &History, at_once: &[History]) -> Vec<String> {
    if history.is_pending() {
        return explain_waiting(scenario, history, at_once);
    }
    let orders = history.orders(MOST);
    let mut lines = Vec::new();
    for order in orders.iter().take(SHOWN) {
        let names: Vec<String> = order.iter().map(|&place| named(scenario, place)).collect();
        let why = at_once
            .iter()
            .filter(|other| other.is_in_order(order))
            .map(|other| mismatch(scenario, history, other, order))
            .min_by_key(|(position, _)| std::cmp::Reverse(*position))
            .map_or_else(|| "some call waits for ever".to_owned(), |(_, why)| why);
        lines.push(format!("in the order {}: {why}", names.join(", ")));
    }
    if orders.len() > SHOWN {
        let more = if orders.len() == MOST { " or more" } else { "" };
        lines.push(format!(
            "nor does any of the other {}{more} orders",
            orders.len() - SHOWN
        ));
    }
    lines
}

/// Where an execution in this order departs from a history, and how.
fn mismatch(scenario: &Scenario, history: &History, other: &History, order: &[Place]) -> (usize, String) {
    for (position, &place) in order.iter().enumerate() {
        let (found, wanted) = (&other.at(place).ended, &history.at(place).ended);
        if let (Some(found), Some(wanted)) = (found, wanted)
            && found != wanted
        {
            let call = call_at(scenario, place);
            let why = format!(
                "{}{}, not{}",
                named(scenario, place),
                outcome(call, found),
                outcome(call, wanted)
            );
            return (position, why);
        }
        if found.is_none() {
            return (position, format!("{} waits for ever", named(scenario, place)));
        }
    }
    (order.len(), "the same, at another time".to_owned())
}

fn explain_waiting(scenario: &Scenario, history: &History, at_once: &[History]) -> Vec<String> {
    let waiting = |of: &History| -> Vec<Place> { of.places().filter(|&place| of.at(place).ended.is_none()).collect() };
    let wanted = waiting(history);
    let names: Vec<String> = wanted.iter().map(|&place| named(scenario, place)).collect();
    let (names, verb) = (names.join(" and "), if wanted.len() == 1 { "waits" } else { "wait" });
    match at_once.iter().filter(|other| waiting(other) == wanted).count() {
        0 => vec![format!("in no order of the calls {names} {verb} for ever")],
        _ => vec![format!(
            "where {names} {verb} for ever in some order, the other calls end otherwise"
        )],
    }
}

/// What a call came to, to be put behind its name.
fn outcome(call: Option<&Call>, ended: &Ended) -> String {
    let mut text = match (ended.threw, call) {
        (true, _) => format!(" throws {}", ended.result),
        (false, Some(call)) if !call.returns => " returns".to_owned(),
        _ => format!(" → {}", ended.result),
    };
    if ended.interrupted {
        text += " (interrupted)";
    }
    if ended.permit {
        text += " (may park)";
    }
    text
}

fn call_at(scenario: &Scenario, (thread, call): Place) -> Option<&Call> {
    scenario.threads.get(thread)?.get(call)
}

/// A call and who makes it: `A.poll()`.
fn named(scenario: &Scenario, place: Place) -> String {
    let text = call_at(scenario, place).map_or("?", |call| &call.text);
    format!("{}.{text}", thread_name(place.0))
}
