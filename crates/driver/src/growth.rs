//! What keeps growing in a program whose states have no end: named by walking through it once and looking now and then.

use crate::{budget, limits};
use kernel::{System, Transitions};
use machine::inspect::CellName;
use machine::system::Java;
use machine::{Address, Machine};
use program::descriptor::Kind;
use program::world::ClassKind;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Steps of the walk, how often it stops to look, and how long it may take: in the user's time, and where that is over.
const STEPS: usize = 40_000;
const LOOKS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(2);
const MOMENT: Duration = Duration::from_millis(250);

/// A sentence about what grows without end as far as one walk can tell; `None` if nothing seems to.
pub fn growing<'p>(system: &Java<'p>, machine: &mut Machine<'p>) -> Option<String> {
    let mut transitions = Transitions::default();
    let mut undos = Vec::new();
    let mut looks: Vec<BTreeMap<String, i64>> = Vec::new();
    let begun = Instant::now();
    let patience = if limits::is_over() { MOMENT } else { PATIENCE };
    let mut steps = 0;
    for step in 0..STEPS {
        if begun.elapsed() > patience || !budget::has_room_to_spare(0) {
            break;
        }
        // Where steps are slow, looks come by time.
        let due = patience * (looks.len() as u32 + 1) / (LOOKS as u32 + 1);
        if step > 0 && (step % (STEPS / LOOKS) == 0 || begun.elapsed() > due) {
            looks.push(look(machine));
        }
        steps = step;
        system.transitions(machine, &mut transitions);
        let enabled: Vec<_> = transitions.entries().iter().filter(|entry| entry.enabled).collect();
        if enabled.is_empty() {
            break;
        }
        // Threads take turns, so that none keeps the others from growing.
        let action = enabled[step % enabled.len()].action;
        match system.apply(machine, action) {
            Ok(undo) => undos.push(undo),
            Err(_) => break,
        }
    }
    search::rewind(system, machine, undos);
    if looks.len() < 3 {
        return None;
    }
    let names: Vec<&String> = looks[0].keys().collect();
    let mut grown: Vec<(i64, String)> = names
        .into_iter()
        .filter_map(|name| {
            let values: Option<Vec<i64>> = looks.iter().map(|look| look.get(name).copied()).collect();
            let values = values?;
            let rises = values.windows(2).all(|pair| pair[0] < pair[1]);
            let falls = values.windows(2).all(|pair| pair[0] > pair[1]) && !name.starts_with("the number");
            (rises || falls).then(|| {
                let last = values[values.len() - 1];
                (
                    last.saturating_sub(values[0]).saturating_abs(),
                    format!("{name} ({}, … {last})", values[0]),
                )
            })
        })
        .collect();
    grown.sort_by(|one, two| two.cmp(one));
    if grown.is_empty() {
        return None;
    }
    let list: Vec<String> = grown.into_iter().take(3).map(|(_, text)| text).collect();
    Some(format!(
        "the states may have no end: along one execution of {steps} steps this keeps growing: {}",
        list.join("; ")
    ))
}

/// Numbers in the state by name: fields, and how many objects of each class there are.
fn look(machine: &mut Machine<'_>) -> BTreeMap<String, i64> {
    let mut values = BTreeMap::new();
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    let objects = machine.young_objects();
    for &object in &objects {
        let class = machine.class_of(object);
        let described = machine.program.class(class);
        *counts.entry(described.external_name()).or_default() += 1;
        if !matches!(described.kind, ClassKind::Array(_)) {
            fields(machine, object, &mut values);
        }
    }
    for object in machine.static_holders() {
        fields(machine, object, &mut values);
    }
    for (class, count) in counts {
        values.insert(format!("the number of {class} objects"), count);
    }
    values.insert("the clock, which the program reads".to_owned(), machine.clock() as i64);
    values
}

fn fields(machine: &Machine<'_>, object: Address, values: &mut BTreeMap<String, i64>) {
    for word in 2..machine.object_words(object) {
        let Some(cell) = machine.cell(object, word * 4) else {
            continue;
        };
        if !matches!(cell.kind, Kind::Int | Kind::Long) {
            continue;
        }
        let (CellName::Field(class, name) | CellName::Static(class, name)) = &cell.name else {
            continue;
        };
        let value = machine.primitive_text(&cell).and_then(|text| text.parse().ok());
        let entry = values.entry(format!("{class}.{name}")).or_insert(0);
        *entry = entry.saturating_add(value.unwrap_or(0));
    }
}
