//! How fast states are inserted and how much room they take.
//!
//! `cargo bench -p store` runs all; `cargo bench -p store -- depth 2` runs one workload up to two million states.
//! Only insertions are timed: vectors are made ahead, a few hundred at a time.

mod workload;

use kernel::StateVector;
use std::hint::black_box;
use std::time::{Duration, Instant};
use store::{Bits, Exact, Fingerprint, Inserter, StateId, StateTable};
use workload::{Search, Walk, Workload};

const BATCH: usize = 256;
const MARKS: [u64; 5] = [1, 2, 5, 10, 15];

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    let only = arguments.first().map(String::as_str);
    let millions = arguments
        .get(1)
        .and_then(|argument| argument.parse().ok())
        .unwrap_or(15);
    let wanted = |name| only.is_none_or(|only| only == name);
    println!("workload  store        states    inserts  ns/insert  inserts/s  bytes/state");
    if wanted("depth") {
        run("depth", "exact", &mut Search::new(true), Exact::new(), millions);
    }
    if wanted("breadth") {
        run("breadth", "exact", &mut Search::new(false), Exact::new(), millions);
    }
    if wanted("walk") {
        run("walk", "exact", &mut Walk::new(), Exact::new(), millions);
    }
    if wanted("fingerprint") {
        run(
            "breadth",
            "fingerprint",
            &mut Search::new(false),
            Fingerprint::new(),
            millions,
        );
    }
    if wanted("bits") {
        run("breadth", "bits", &mut Search::new(false), Bits::new(1 << 28), millions);
    }
    if wanted("get") {
        read_back(millions);
    }
}

fn run(workload_name: &str, store_name: &str, workload: &mut dyn Workload, table: impl StateTable, millions: u64) {
    let mut inserter = table.inserter();
    let mut vectors = vec![StateVector::default(); BATCH];
    let (mut inserts, mut spent) = (0, Duration::ZERO);
    let mut marks = MARKS
        .iter()
        .filter(|&&mark| mark <= millions)
        .map(|mark| mark * 1_000_000)
        .peekable();
    while let Some(&mark) = marks.peek() {
        let made = vectors
            .iter_mut()
            .map_while(|vector| workload.next(vector).then_some(()))
            .count();
        let begin = Instant::now();
        for vector in &vectors[..made] {
            black_box(inserter.insert(vector));
        }
        spent += begin.elapsed();
        inserts += made as u64;
        if table.len() >= mark || made == 0 {
            let per_insert = spent.as_nanos() as f64 / inserts as f64;
            println!(
                "{workload_name:8}  {store_name:11}  {:>8}  {inserts:>8}  {per_insert:>9.0}  {:>9.0}  {:>11.1}",
                table.len(),
                1e9 / per_insert,
                (table.bytes() + inserter.bytes()) as f64 / table.len() as f64,
            );
            marks.next();
        }
        if made == 0 {
            break;
        }
    }
}

fn read_back(millions: u64) {
    let (mut workload, table, mut vector) = (Search::new(true), Exact::new(), StateVector::default());
    let mut cursor = table.cursor();
    while table.len() < millions * 1_000_000 && workload.next(&mut vector) {
        cursor.insert(&vector);
    }
    let (mut out, mut words) = (Vec::new(), 0);
    let begin = Instant::now();
    let count = 1_000_000;
    for number in 0..count {
        out.clear();
        table.get(StateId::new(number * 7919 % table.len()), &mut out);
        words += out.len();
    }
    let per_state = begin.elapsed().as_nanos() as u64 / count;
    println!("get of a random state: {per_state} ns, {} words", words as u64 / count);
}
