//! The store against a plain map.

use super::*;
use crate::hash;
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

/// What the store must agree with. Equal words in different chunks may be one state or two.
#[derive(Default)]
struct Plain {
    ids: HashMap<(Vec<u32>, Vec<u32>), u32>,
    words: Vec<Vec<u32>>,
}

impl Plain {
    fn check(&mut self, store: &mut Exact, vector: &StateVector) {
        let found = store.find(vector);
        let seen = store.insert(vector).expect("there is room");
        assert_eq!(found, (!seen.new).then_some(seen.id), "asking enters nothing");
        let id = *self.ids.entry((vector.words(), vector.ends())).or_insert(seen.id);
        assert_eq!(seen.id, id);
        if seen.new {
            assert_eq!(id as usize, self.words.len());
            self.words.push(vector.words());
        }
        assert_eq!(self.words[id as usize], vector.words());
        assert_eq!(store.len(), self.words.len() as u64);
    }

    fn check_all(&self, store: &Exact) {
        let mut out = Vec::new();
        for (id, words) in self.words.iter().enumerate() {
            out.clear();
            assert!(store.get(id as u32, &mut out));
            assert_eq!(&out, words);
        }
        assert!(!store.get(self.words.len() as u32, &mut out));
        assert!(!store.get(u32::MAX, &mut out));
    }
}

fn check_walk(mut store: Exact, start: Chunks, edits: &[Edit]) {
    let (mut plain, mut chunks, mut earlier) = (Plain::default(), start.clone(), vec![start]);
    plain.check(&mut store, &vector(&chunks));
    for edit in edits {
        apply(edit, &mut chunks, &earlier);
        earlier.push(chunks.clone());
        plain.check(&mut store, &vector(&chunks));
    }
    plain.check_all(&store);
    // The same once more, each as if it were the first: what came before must not show.
    for chunks in &earlier {
        store.forget();
        plain.check(&mut store, &vector(chunks));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn walks_agree_with_a_map(start in vec(chunk(), 0..30), edits in vec(edit(), 0..120)) {
        check_walk(Exact::new(), start, &edits);
    }

    #[test]
    fn walks_agree_with_a_map_whatever_the_hash(start in vec(chunk(), 0..12), edits in vec(edit(), 0..60)) {
        check_walk(Exact::with_index(|| Index::with_mask(0)), start.clone(), &edits);
        check_walk(Exact::with_index(|| Index::with_mask(0xff00_0000_0000_0001)), start, &edits);
    }

    #[test]
    fn different_words_are_never_one_state_however_they_are_cut(
        words in vec(0..2u32, 0..60),
        cuts in vec((vec(any::<bool>(), 60), 0..60usize), 1..20),
    ) {
        let mut store = Exact::new();
        let mut of_id: HashMap<u32, Vec<u32>> = HashMap::new();
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
            let seen = store.insert(&vector).expect("there is room");
            let known = of_id.entry(seen.id).or_insert_with(|| words.to_vec());
            prop_assert_eq!(known, words);
            let mut out = Vec::new();
            prop_assert!(store.get(seen.id, &mut out));
            prop_assert_eq!(out, words);
        }
    }
}

#[test]
fn an_empty_vector_is_a_state() {
    let mut plain = Plain::default();
    let mut store = Exact::new();
    for chunks in [
        vec![],
        vec![vec![0]],
        vec![],
        vec![vec![0], vec![0]],
        vec![vec![0, 0]],
        vec![vec![0]],
        vec![],
    ] {
        plain.check(&mut store, &vector(&chunks));
    }
    // A short vector is one piece, however it is cut.
    assert_eq!(store.len(), 3);
    plain.check_all(&store);
}

#[test]
fn prefixes_and_suffixes_are_states_of_their_own() {
    let (mut plain, mut store) = (Plain::default(), Exact::new());
    let chunks: Chunks = (0..50)
        .map(|number| vec![number % 4; 1 + number as usize % 20])
        .collect();
    for _ in 0..2 {
        for at in 0..chunks.len() {
            plain.check(&mut store, &vector(&chunks[at..]));
            plain.check(&mut store, &vector(&chunks[..at]));
            let without: Chunks = [&chunks[..at], &chunks[at + 1..]].concat();
            plain.check(&mut store, &vector(&without));
        }
    }
    plain.check_all(&store);
}

#[test]
fn a_store_without_room_says_so_and_goes_on() {
    let mut store = Exact::new();
    store.inner = Nodes::new(2, Index::new());
    let chunks = |number: u32| -> Chunks { (0..13).map(|at| vec![at, number]).collect() };
    let inserted: Vec<_> = (0..10).map(|number| store.insert(&vector(&chunks(number)))).collect();
    assert_eq!(inserted[0], Some(Seen { id: 0, new: true }));
    assert!(inserted[1..].iter().all(Option::is_none));
    assert_eq!(store.insert(&vector(&chunks(0))), Some(Seen { id: 0, new: false }));
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
    let (mut store, mut longest) = (Exact::new(), Duration::ZERO);
    count_up(2_000_000, |vector| {
        let begin = Instant::now();
        store.insert(vector);
        longest = longest.max(begin.elapsed());
    });
    // What else runs on the machine counts too, so the bound is loose; how much is moved at most, the index tests.
    println!("the longest of {} insertions took {longest:?}", store.len());
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

#[test]
fn a_state_takes_few_bytes() {
    let mut store = Exact::new();
    count_up(1_000_000, |vector| {
        store.insert(vector);
    });
    let bytes_per_state = store.bytes() as f64 / store.len() as f64;
    assert!(bytes_per_state < 26.0, "{bytes_per_state}");
}
