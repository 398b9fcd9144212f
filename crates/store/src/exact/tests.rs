//! The table against a plain map.

use super::*;
use crate::{Seen, hash};
use kernel::StateVector;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashMap;
use std::time::{Duration, Instant};

type Chunks = Vec<Vec<u32>>;

/// A change from one vector to the next.
#[derive(Clone, Debug)]
enum Edit {
    Word(usize, usize, u32),
    Insert(usize, Vec<u32>),
    Remove(usize),
    Swap(usize, usize),
    Truncate(usize),
    Append(usize, u32),
    Shorten(usize),
    Back(usize),
    Join(usize),
    Split(usize, usize),
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![4 => 0..3u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn chunk() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![3 => vec(word(), 0..6), 2 => vec(word(), 0..41), 1 => (0..41usize).prop_map(|len| vec![0; len])]
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        8 => (any::<usize>(), any::<usize>(), word()).prop_map(|(chunk, at, word)| Edit::Word(chunk, at, word)),
        3 => (any::<usize>(), chunk()).prop_map(|(at, chunk)| Edit::Insert(at, chunk)),
        3 => any::<usize>().prop_map(Edit::Remove),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(first, second)| Edit::Swap(first, second)),
        1 => any::<usize>().prop_map(Edit::Truncate),
        2 => (any::<usize>(), word()).prop_map(|(chunk, word)| Edit::Append(chunk, word)),
        2 => any::<usize>().prop_map(Edit::Shorten),
        2 => any::<usize>().prop_map(Edit::Back),
        1 => any::<usize>().prop_map(Edit::Join),
        1 => (any::<usize>(), prop_oneof![Just(16usize), any::<usize>()]).prop_map(|(at, len)| Edit::Split(at, len)),
    ]
}

fn apply(edit: &Edit, chunks: &mut Chunks, earlier: &[Chunks]) {
    let count = chunks.len();
    match *edit {
        Edit::Insert(at, ref chunk) => chunks.insert(at % (count + 1), chunk.clone()),
        Edit::Truncate(len) => chunks.truncate(len % (count + 1)),
        Edit::Back(state) => chunks.clone_from(&earlier[state % earlier.len()]),
        _ if count == 0 => {}
        Edit::Remove(at) => {
            chunks.remove(at % count);
        }
        Edit::Swap(first, second) => chunks.swap(first % count, second % count),
        Edit::Append(chunk, word) => chunks[chunk % count].push(word),
        Edit::Shorten(chunk) => {
            chunks[chunk % count].pop();
        }
        Edit::Join(at) => {
            let first = chunks.remove(at % count);
            match chunks.get_mut(at % count) {
                Some(second) => second.splice(0..0, first).for_each(drop),
                None => chunks.push(first),
            }
        }
        Edit::Split(at, len) => {
            let chunk = &mut chunks[at % count];
            let rest = chunk.split_off(len % (chunk.len() + 1));
            chunks.insert(at % count + 1, rest);
        }
        Edit::Word(chunk, at, word) => {
            let chunk = &mut chunks[chunk % count];
            let len = chunk.len().max(1);
            if let Some(place) = chunk.get_mut(at % len) {
                *place = word;
            }
        }
    }
}

fn vector(chunks: &[Vec<u32>]) -> StateVector {
    let mut vector = StateVector::default();
    let (mut start, mut ended) = (0, 0);
    for (position, chunk) in chunks.iter().filter(|chunk| !chunk.is_empty()).enumerate() {
        vector.extend(chunk);
        vector.end_chunk();
        // Sections of three chunks; the last few chunks are in none. Every other section has a version.
        if position % 3 == 2 && position < 12 {
            let version = match position % 2 {
                0 => 0,
                _ => {
                    let ends: Vec<u32> = vector.ends()[ended..].to_vec();
                    hash::words(&vector.words()[start..]) ^ hash::words(&ends).rotate_left(7) | 1
                }
            };
            vector.end_section(version);
            (start, ended) = (vector.len(), vector.ends().len());
        }
    }
    vector
}

/// What the table must agree with. Equal words in different chunks may be one state or two.
#[derive(Default)]
struct Plain {
    ids: HashMap<(Vec<u32>, Vec<u32>), u64>,
    words: Vec<Vec<u32>>,
}

/// How many pieces, pairs and states there are.
fn sizes(table: &Exact) -> [u64; 3] {
    [table.pieces.len(), table.pairs.len(), table.roots.len()]
}

impl Plain {
    fn check(&mut self, cursor: &mut Cursor<'_>, table: &Exact, vector: &StateVector) {
        let before = sizes(table);
        let found = cursor.find(vector);
        assert_eq!(sizes(table), before, "asking enters nothing");
        self.check_insert(cursor, table, vector, Some(found));
        let after = sizes(table);
        assert!(cursor.find(vector).is_some());
        assert_eq!(sizes(table), after);
    }

    /// Without asking before, or with what was found then.
    fn check_insert(
        &mut self,
        cursor: &mut Cursor<'_>,
        table: &Exact,
        vector: &StateVector,
        found: Option<Option<StateId>>,
    ) {
        let seen = cursor.insert(vector).expect("there is room");
        let number = seen.id.expect("states have numbers").number();
        if let Some(found) = found {
            assert_eq!(
                found,
                seen.id.filter(|_| !seen.new),
                "what is there is found, and nothing else"
            );
        }
        let id = *self.ids.entry((vector.words(), vector.ends())).or_insert(number);
        assert_eq!(number, id);
        if seen.new {
            assert_eq!(id as usize, self.words.len());
            self.words.push(vector.words());
        }
        assert_eq!(self.words[id as usize], vector.words());
        assert_eq!(table.len(), self.words.len() as u64);
    }

    fn check_all(&self, table: &Exact) {
        let mut out = Vec::new();
        for (id, words) in self.words.iter().enumerate() {
            out.clear();
            assert!(table.get(StateId::new(id as u64), &mut out));
            assert_eq!(&out, words);
        }
        assert!(!table.get(StateId::new(self.words.len() as u64), &mut out));
        assert!(!table.get(StateId::new(u64::MAX - 1), &mut out));
    }
}

fn check_walk(table: &Exact, start: Chunks, edits: &[Edit]) {
    let (mut plain, mut chunks, mut earlier) = (Plain::default(), start.clone(), vec![start]);
    let mut cursors = [table.cursor(), table.cursor(), table.cursor()];
    plain.check(&mut cursors[0], table, &vector(&chunks));
    for (round, edit) in edits.iter().enumerate() {
        apply(edit, &mut chunks, &earlier);
        earlier.push(chunks.clone());
        // One cursor asks each time, one asks for what it does not enter, and one never asks.
        let vector = vector(&chunks);
        match round % 5 {
            0 => plain.check_insert(&mut cursors[2], table, &vector, None),
            1 => _ = cursors[1].find(&vector),
            2 => plain.check_insert(&mut cursors[1], table, &vector, None),
            _ => {}
        }
        plain.check(&mut cursors[0], table, &vector);
    }
    plain.check_all(table);
    // The same once more, each as if it were the first: what came before must not show.
    for chunks in &earlier {
        cursors[0].forget();
        plain.check(&mut cursors[0], table, &vector(chunks));
    }
    for cursor in &mut cursors {
        for chunks in &earlier {
            plain.check_insert(cursor, table, &vector(chunks), None);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walks_agree_with_a_map(start in vec(chunk(), 0..30), edits in vec(edit(), 0..120)) {
        check_walk(&Exact::new(), start, &edits);
    }

    #[test]
    fn walks_agree_with_a_map_whatever_the_hash(start in vec(chunk(), 0..12), edits in vec(edit(), 0..60)) {
        check_walk(&Exact::with(0, NODES), start.clone(), &edits);
        check_walk(&Exact::with(0xff00_0000_0000_0001, NODES), start, &edits);
    }

    #[test]
    fn different_words_are_never_one_state_however_they_are_cut(
        words in vec(0..2u32, 0..60),
        cuts in vec((vec(any::<bool>(), 60), 0..60usize), 1..20),
    ) {
        let table = Exact::new();
        let mut cursor = table.cursor();
        let mut of_id: HashMap<StateId, Vec<u32>> = HashMap::new();
        for (borders, len) in cuts {
            let words = &words[..len.min(words.len())];
            let mut vector = StateVector::default();
            for (&word, border) in words.iter().zip(borders) {
                vector.push(word);
                if border {
                    vector.end_chunk();
                }
            }
            // Some words may be left outside of all chunks.
            let id = cursor.insert(&vector).and_then(|seen| seen.id).expect("there is room");
            let known = of_id.entry(id).or_insert_with(|| words.to_vec());
            prop_assert_eq!(known, words);
            let mut out = Vec::new();
            prop_assert!(table.get(id, &mut out));
            prop_assert_eq!(out, words);
        }
    }
}

#[test]
fn an_empty_vector_is_a_state() {
    let (mut plain, table) = (Plain::default(), Exact::new());
    let mut cursor = table.cursor();
    for chunks in [
        vec![],
        vec![vec![0]],
        vec![],
        vec![vec![0], vec![0]],
        vec![vec![0, 0]],
        vec![vec![0]],
        vec![],
    ] {
        plain.check(&mut cursor, &table, &vector(&chunks));
    }
    // A short vector is one piece, however it is cut.
    assert_eq!(table.len(), 3);
    plain.check_all(&table);
}

#[test]
fn prefixes_and_suffixes_are_states_of_their_own() {
    let (mut plain, table) = (Plain::default(), Exact::new());
    let mut cursor = table.cursor();
    let chunks: Chunks = (0..50)
        .map(|number| vec![number % 4; 1 + number as usize % 20])
        .collect();
    for _ in 0..2 {
        for at in 0..chunks.len() {
            plain.check(&mut cursor, &table, &vector(&chunks[at..]));
            plain.check(&mut cursor, &table, &vector(&chunks[..at]));
            let without: Chunks = [&chunks[..at], &chunks[at + 1..]].concat();
            plain.check(&mut cursor, &table, &vector(&without));
        }
    }
    plain.check_all(&table);
}

#[test]
fn a_table_without_room_says_so_and_goes_on() {
    let table = Exact::with(u64::MAX, 2);
    let mut cursor = table.cursor();
    let chunks = |number: u32| -> Chunks { (0..13).map(|at| vec![at, number]).collect() };
    let inserted: Vec<_> = (0..10).map(|number| cursor.insert(&vector(&chunks(number)))).collect();
    let id = Some(StateId::FIRST);
    assert_eq!(inserted[0], Some(Seen { id, new: true }));
    assert!(inserted[1..].iter().all(Option::is_none));
    assert_eq!(cursor.find(&vector(&chunks(1))), None);
    assert_eq!(cursor.insert(&vector(&chunks(0))), Some(Seen { id, new: false }));
    assert_eq!(cursor.find(&vector(&chunks(0))), id);
}

#[test]
fn tables_are_shared_and_inserters_sent() {
    fn is_shared<T: Sync + ?Sized>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Exact>();
    is_shared::<crate::Fingerprint>();
    is_shared::<crate::Bits>();
    is_shared::<dyn StateTable>();
    is_sent::<Cursor<'_>>();
    is_sent::<Box<dyn Inserter + '_>>();
}

/// The vector of a state that is a number: sections of one to thirty chunks, most of which are the same in many states.
fn numbered(number: u32, sections: &mut Sections, vector: &mut StateVector) {
    vector.clear();
    for section in 0..7 {
        let digit = number >> (2 * section) & 3;
        for chunk in 0..1 + (section * 5 + digit) % 30 {
            vector.extend(&[section, chunk, digit * (chunk % 3), number >> 14]);
            vector.end_chunk();
        }
        let key = (section, digit, number >> 14);
        vector.end_section(*sections.known.entry(key).or_insert_with(|| sections.versions.fresh()));
    }
}

/// The versions that one explorer gives to sections.
#[derive(Default)]
struct Sections {
    known: HashMap<(u32, u32, u32), u64>,
    versions: kernel::Versions,
}

/// The numbers below `count`, all of them: every other thread begins at the end, and one runs a little ahead of the other. Between them
/// come numbers that are the thread's own, one for each four.
fn order(count: u32, thread: u32) -> impl Iterator<Item = u32> {
    (0..count).flat_map(move |number| {
        let ahead = (number + thread / 2 * 37) % count;
        let common = match thread.is_multiple_of(2) {
            true => ahead,
            false => count - 1 - ahead,
        };
        let own = number.is_multiple_of(4).then_some((thread + 1) * count + number);
        [Some(common), own].into_iter().flatten()
    })
}

/// Threads that enter the same states agree on their numbers, and every state is new to one of them.
fn check_threads(table: &Exact, threads: u32, count: u32) {
    let entered: Vec<Vec<(u32, Seen)>> = std::thread::scope(|scope| {
        let explore = |thread| {
            let mut cursor = table.cursor();
            let (mut sections, mut vector, mut words) = (Sections::default(), StateVector::default(), Vec::new());
            let mut seen = Vec::new();
            for number in order(count, thread) {
                numbered(number, &mut sections, &mut vector);
                let found = match number % 3 {
                    0 => cursor.find(&vector),
                    _ => None,
                };
                let now = cursor.insert(&vector).expect("there is room");
                assert!(found.is_none() || found == now.id && !now.new);
                let id = now.id.expect("states have numbers");
                words.clear();
                assert!(table.get(id, &mut words) && words == vector.words());
                assert_eq!(cursor.find(&vector), now.id);
                seen.push((number, now));
            }
            seen
        };
        let explorers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || explore(thread)))
            .collect();
        explorers.into_iter().map(|explorer| explorer.join().unwrap()).collect()
    });
    let mut ids = HashMap::new();
    for &(number, seen) in entered.iter().flatten() {
        assert_eq!(*ids.entry(number).or_insert(seen.id), seen.id);
    }
    let distinct: std::collections::HashSet<_> = ids.values().collect();
    let new = entered.iter().flatten().filter(|(_, seen)| seen.new).count();
    let all = (count + threads * count.div_ceil(4)) as usize;
    assert_eq!((ids.len(), distinct.len(), new), (all, all, all));
    assert_eq!(table.len(), all as u64);
    assert_eq!(
        table.old.sum(|buckets| buckets.len() as u64),
        0,
        "nothing waits when nobody reads"
    );
}

#[test]
fn threads_agree_on_all_numbers() {
    check_threads(&Exact::new(), 4, 60_000);
}

#[test]
fn threads_agree_on_all_numbers_whatever_the_hash() {
    check_threads(&Exact::with(0xff00_0000_0000_0000, NODES), 4, 6_000);
    for _ in 0..20 {
        check_threads(&Exact::with(0, NODES), 3, 300);
    }
}

#[test]
fn a_lookup_enters_nothing_and_insertion_works_afterwards() {
    let table = Exact::new();
    let mut cursor = table.cursor();
    let (mut sections, mut vector) = (Sections::default(), StateVector::default());
    numbered(0, &mut sections, &mut vector);
    cursor.insert(&vector);
    for number in 1..2000 {
        numbered(number * 37, &mut sections, &mut vector);
        let (before, bytes) = (sizes(&table), table.bytes());
        assert_eq!(cursor.find(&vector), None);
        assert_eq!(cursor.find(&vector), None);
        assert_eq!((sizes(&table), table.bytes()), (before, bytes));
        if number % 2 == 0 {
            let id = Some(StateId::new(before[2]));
            assert_eq!(cursor.insert(&vector), Some(Seen { id, new: true }));
            assert_eq!(cursor.find(&vector), id);
        }
    }
}

/// The counter of a big program: `count` states of 30 chunks, of which two or three change at a time.
fn count_up(count: u32, mut each: impl FnMut(&StateVector)) {
    let mut vector = StateVector::default();
    for number in 0..count {
        vector.clear();
        for chunk in 0..30 {
            let digit = if chunk % 5 == 0 {
                number >> (4 * (chunk / 5)) & 15
            } else {
                0
            };
            vector.extend(&[chunk, 0, digit, 0, 0, 1, 2]);
            vector.end_chunk();
        }
        each(&vector);
    }
}

#[test]
fn no_insertion_takes_long() {
    let (table, mut longest) = (Exact::new(), Duration::ZERO);
    let mut cursor = table.cursor();
    count_up(2_000_000, |vector| {
        let begin = Instant::now();
        cursor.insert(vector);
        longest = longest.max(begin.elapsed());
    });
    // What else runs on the machine counts too, so the bound is loose; how much is moved at most, the index tests.
    println!("the longest of {} insertions took {longest:?}", table.len());
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

#[test]
fn a_state_takes_few_bytes() {
    let table = Exact::new();
    let mut cursor = table.cursor();
    count_up(1_000_000, |vector| {
        cursor.insert(vector);
    });
    let bytes_per_state = (table.bytes() + cursor.bytes()) as f64 / table.len() as f64;
    assert!(bytes_per_state < 26.0, "{bytes_per_state}");
}
