//! A made-up concurrent program: four threads with some frames each, a dozen objects, a shared counter.

use kernel::StateVector;
use std::collections::VecDeque;

const THREADS: usize = 4;
const OBJECTS: u32 = 12;

/// Where a thread can be, and how many frames it has there.
const DEPTHS: [u32; 20] = [2, 2, 2, 3, 3, 3, 4, 4, 3, 3, 3, 2, 2, 3, 3, 3, 3, 2, 2, 2];
const POSITIONS: u64 = DEPTHS.len() as u64;
/// Values of the shared counter.
const VALUES: u64 = 100;

/// A source of vectors.
pub trait Workload {
    /// Writes the next vector; `false` if there is none.
    fn next(&mut self, vector: &mut StateVector) -> bool;
}

#[derive(Clone, Copy)]
struct State {
    positions: [u64; THREADS],
    value: u64,
}

impl State {
    fn number(&self) -> u64 {
        self.positions
            .iter()
            .fold(self.value, |number, position| number * POSITIONS + position)
    }

    /// One step of a thread. Every third one touches the shared counter.
    fn step(mut self, thread: usize) -> Self {
        let position = &mut self.positions[thread];
        if position.is_multiple_of(3) {
            self.value = (self.value + 1 + 10 * (*position / 7)) % VALUES;
        }
        *position = (*position + 1) % POSITIONS;
        self
    }

    fn encode(&self, vector: &mut StateVector) {
        vector.clear();
        vector.extend(&[2, 4000, self.value as u32 % 7, 4010, self.value as u32 / 50]);
        vector.end_chunk();
        for (number, &position) in self.positions.iter().enumerate() {
            let (number, position) = (number as u32, position as u32);
            let blocked = u32::from(position % 5 == 4);
            vector.extend(&[number, 1 + blocked, 9000 + number, blocked * 77, 0, 0, 0, 0, 0, 0, 0]);
            vector.end_chunk();
            for frame in (0..DEPTHS[position as usize]).rev() {
                let is_top = frame + 1 == DEPTHS[position as usize];
                let at = if is_top { position } else { frame };
                vector.extend(&[300 + frame, at, 5, 0x8000_0000 | number, at / 2, 0, number, 1]);
                vector.end_chunk();
            }
        }
        for object in 0..OBJECTS {
            let value = match object {
                0..4 => self.positions[object as usize] as u32 / 4,
                4 => self.value as u32 % 10,
                5 => self.value as u32 / 10,
                _ => 3,
            };
            vector.extend(&[100 + object % 5, 0, value, object, 0, 1]);
            vector.end_chunk();
            // Some threads hold an object of their own for a while.
            if object < 4 && (6..9).contains(&self.positions[object as usize]) {
                vector.extend(&[200, 0, object, 1]);
                vector.end_chunk();
            }
        }
    }
}

/// All states, every edge: 16 million states, four insertions each. Depth first, almost all that are found again come
/// late.
pub struct Search {
    visited: Vec<u64>,
    open: VecDeque<(State, usize)>,
    depth_first: bool,
}

impl Search {
    /// At the first state.
    pub fn new(depth_first: bool) -> Self {
        let initial = State {
            positions: [0; THREADS],
            value: 0,
        };
        Self {
            visited: vec![0; (POSITIONS.pow(THREADS as u32) * VALUES / 64 + 1) as usize],
            open: VecDeque::from([(initial, 0)]),
            depth_first,
        }
    }
}

impl Workload for Search {
    fn next(&mut self, vector: &mut StateVector) -> bool {
        loop {
            let end = if self.depth_first {
                self.open.back_mut()
            } else {
                self.open.front_mut()
            };
            let Some((state, thread)) = end else {
                return false;
            };
            if *thread == THREADS {
                let _ = if self.depth_first {
                    self.open.pop_back()
                } else {
                    self.open.pop_front()
                };
                continue;
            }
            let next = state.step(*thread);
            *thread += 1;
            let number = next.number();
            let (word, bit) = (&mut self.visited[number as usize / 64], 1 << (number % 64));
            if *word & bit == 0 {
                *word |= bit;
                self.open.push_back((next, 0));
            }
            next.encode(vector);
            return true;
        }
    }
}

/// A random walk that almost never comes back, through a space where everything varies on its own: nothing a
/// compression by sharing likes.
pub struct Walk {
    random: u64,
    frames: [Vec<[u32; 8]>; THREADS],
    objects: [[u32; 6]; OBJECTS as usize],
}

impl Walk {
    /// At the first state.
    pub fn new() -> Self {
        let frames = std::array::from_fn(|thread| vec![[300, 0, 5, 0, 0, 0, thread as u32, 1]; 3]);
        let objects = std::array::from_fn(|object| [100 + object as u32 % 5, 0, 0, object as u32, 0, 1]);
        Self {
            random: 1,
            frames,
            objects,
        }
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (((self.random >> 32) * u64::from(bound)) >> 32) as u32
    }
}

impl Workload for Walk {
    fn next(&mut self, vector: &mut StateVector) -> bool {
        let thread = self.below(THREADS as u32) as usize;
        let (kind, position, local) = (self.below(12), self.below(12), self.below(3));
        let (object, value) = (self.below(OBJECTS) as usize, self.below(4));
        let frames = &mut self.frames[thread];
        match kind {
            0 if frames.len() < 5 => frames.push([300 + frames.len() as u32, 0, 5, 0, 0, 0, thread as u32, 1]),
            1 if frames.len() > 1 => {
                frames.pop();
            }
            _ => {}
        }
        if let Some(top) = frames.last_mut() {
            (top[1], top[4]) = (position, local);
        }
        self.objects[object][2] = value;
        vector.clear();
        for (number, frames) in self.frames.iter().enumerate() {
            vector.extend(&[number as u32, 1, 9000 + number as u32, 0, 0, 0, 0, 0, 0, 0, 0]);
            vector.end_chunk();
            for frame in frames.iter().rev() {
                vector.extend(frame);
                vector.end_chunk();
            }
        }
        for object in &self.objects {
            vector.extend(object);
            vector.end_chunk();
        }
        true
    }
}
