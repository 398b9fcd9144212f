//! Blocks of "deflate" data with the prefix codes that zlib would give them (its `trees.c`).

use super::deflate::Bits;

const LITERALS: usize = 286;
const DISTANCES: usize = 30;
const CODE_LENGTHS: usize = 19;
const END: usize = 256;
/// Symbols after which a block ends.
const FULL: usize = 16_383;

const REPEAT: usize = 16;
const ZEROS_SHORT: usize = 17;
const ZEROS_LONG: usize = 18;

const LENGTH_EXTRA: [u8; 29] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const DISTANCE_EXTRA: [u8; 30] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const ORDER: [usize; CODE_LENGTHS] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Symbol, base and extra bits of a match length.
fn length_symbol(length: usize) -> (usize, usize, u32) {
    if length == 258 {
        return (28, 258, 0);
    }
    let mut base = 3;
    for (symbol, &extra) in LENGTH_EXTRA[..28].iter().enumerate() {
        let next = base + (1 << extra);
        if length < next {
            return (symbol, base, u32::from(extra));
        }
        base = next;
    }
    (28, 258, 0)
}

/// Symbol, base and extra bits of a distance.
fn distance_symbol(distance: usize) -> (usize, usize, u32) {
    let mut base = 1;
    for (symbol, &extra) in DISTANCE_EXTRA.iter().enumerate() {
        let next = base + (1 << extra);
        if distance < next {
            return (symbol, base, u32::from(extra));
        }
        base = next;
    }
    (DISTANCES - 1, 24_577, 13)
}

/// The literals and matches of a block that is not written yet.
#[derive(Default)]
pub(super) struct Block {
    /// Distance, or 0, and length or literal.
    symbols: Vec<(u16, u16)>,
}

impl Block {
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// Adds a literal; says whether the block is full.
    pub(super) fn literal(&mut self, byte: u8) -> bool {
        self.symbols.push((0, u16::from(byte)));
        self.symbols.len() == FULL
    }

    /// Adds a match; says whether the block is full.
    pub(super) fn pair(&mut self, distance: usize, length: usize) -> bool {
        self.symbols.push((distance as u16, length as u16));
        self.symbols.len() == FULL
    }

    /// Writes the block in the shortest of the three ways, and empties it. `stored` is what it stands for.
    pub(super) fn write(&mut self, out: &mut Bits, stored: &[u8], last: bool) {
        let (mut literals, mut distances) = (vec![0u32; LITERALS], vec![0u32; DISTANCES]);
        literals[END] = 1;
        for &(distance, value) in &self.symbols {
            if distance == 0 {
                literals[usize::from(value)] += 1;
            } else {
                literals[257 + length_symbol(usize::from(value)).0] += 1;
                distances[distance_symbol(usize::from(distance)).0] += 1;
            }
        }
        let fixed = fixed_lengths();
        let literal_tree = Tree::new(
            &literals,
            15,
            |symbol| symbol.checked_sub(257).map_or(0, |n| LENGTH_EXTRA[n]),
            |symbol| fixed[symbol],
        );
        let distance_tree = Tree::new(&distances, 15, |symbol| DISTANCE_EXTRA[symbol], |_| 5);
        let mut counts = vec![0u32; CODE_LENGTHS];
        let mut runs = Vec::new();
        for tree in [&literal_tree, &distance_tree] {
            run_lengths(&tree.lengths[..=tree.highest], &mut runs);
        }
        for &(symbol, _) in &runs {
            counts[symbol] += 1;
        }
        let length_tree = Tree::new(
            &counts,
            7,
            |symbol| [0, 2, 3, 7][symbol.saturating_sub(15).min(3)],
            |_| 0,
        );
        let used = (3..CODE_LENGTHS)
            .rev()
            .find(|&index| length_tree.lengths[ORDER[index]] != 0)
            .unwrap_or(3)
            + 1;
        let header = 3 * used as i64 + 14;
        let dynamic = (literal_tree.cost + distance_tree.cost + length_tree.cost + header + 3 + 7) >> 3;
        let fixed_cost = (literal_tree.fixed_cost + distance_tree.fixed_cost + 3 + 7) >> 3;
        let shortest = dynamic.min(fixed_cost);
        if stored.len() as i64 + 4 <= shortest && stored.len() <= 0xffff {
            out.stored(stored, last);
        } else if fixed_cost == shortest {
            out.put(1 << 1 | u32::from(last), 3);
            let fixed: Vec<u8> = fixed.to_vec();
            self.body(out, &codes(&fixed), &fixed, &codes(&[5; 30]), &[5; 30]);
        } else {
            out.put(2 << 1 | u32::from(last), 3);
            out.put(literal_tree.highest as u32 + 1 - 257, 5);
            out.put(distance_tree.highest as u32, 5);
            out.put(used as u32 - 4, 4);
            for &symbol in &ORDER[..used] {
                out.put(u32::from(length_tree.lengths[symbol]), 3);
            }
            let length_codes = codes(&length_tree.lengths);
            for (symbol, extra) in runs {
                out.put(length_codes[symbol], u32::from(length_tree.lengths[symbol]));
                match symbol {
                    REPEAT => out.put(extra, 2),
                    ZEROS_SHORT => out.put(extra, 3),
                    ZEROS_LONG => out.put(extra, 7),
                    _ => {}
                }
            }
            let (one, two) = (codes(&literal_tree.lengths), codes(&distance_tree.lengths));
            self.body(out, &one, &literal_tree.lengths, &two, &distance_tree.lengths);
        }
        self.symbols.clear();
    }

    fn body(&self, out: &mut Bits, codes: &[u32], lengths: &[u8], distance_codes: &[u32], distance_lengths: &[u8]) {
        for &(distance, value) in &self.symbols {
            let value = usize::from(value);
            if distance == 0 {
                out.put(codes[value], u32::from(lengths[value]));
                continue;
            }
            let (symbol, base, extra) = length_symbol(value);
            out.put(codes[257 + symbol], u32::from(lengths[257 + symbol]));
            out.put((value - base) as u32, extra);
            let distance = usize::from(distance);
            let (symbol, base, extra) = distance_symbol(distance);
            out.put(distance_codes[symbol], u32::from(distance_lengths[symbol]));
            out.put((distance - base) as u32, extra);
        }
        out.put(codes[END], u32::from(lengths[END]));
    }
}

/// The code lengths that RFC 1951 fixes for literals and lengths.
fn fixed_lengths() -> [u8; 288] {
    std::array::from_fn(|symbol| match symbol {
        0..144 => 8,
        144..256 => 9,
        256..280 => 7,
        _ => 8,
    })
}

/// The canonical codes of these lengths, first bit lowest.
fn codes(lengths: &[u8]) -> Vec<u32> {
    let mut counts = [0u32; 16];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let mut next = [0u32; 16];
    for length in 1..16 {
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    }
    lengths
        .iter()
        .map(|&length| {
            if length == 0 {
                return 0;
            }
            let code = next[usize::from(length)];
            next[usize::from(length)] += 1;
            code.reverse_bits() >> (32 - u32::from(length))
        })
        .collect()
}

/// Code lengths as symbols of the code for them, and the values of their extra bits.
fn run_lengths(lengths: &[u8], out: &mut Vec<(usize, u32)>) {
    let limits = |next: u8| if next == 0 { (138, 3) } else { (7, 4) };
    let mut previous = None;
    let (mut most, mut least) = limits(lengths[0]);
    let mut count = 0;
    for (index, &current) in lengths.iter().enumerate() {
        let next = lengths.get(index + 1).copied();
        count += 1;
        if count < most && next == Some(current) {
            continue;
        }
        let length = usize::from(current);
        if count < least {
            out.extend(std::iter::repeat_n((length, 0), count as usize));
        } else if current != 0 {
            if previous != Some(current) {
                out.push((length, 0));
                count -= 1;
            }
            out.push((REPEAT, count - 3));
        } else if count <= 10 {
            out.push((ZEROS_SHORT, count - 3));
        } else {
            out.push((ZEROS_LONG, count - 11));
        }
        count = 0;
        previous = Some(current);
        (most, least) = match next {
            Some(0) => (138, 3),
            Some(next) if next == current => (6, 3),
            _ => (7, 4),
        };
    }
}

/// A prefix code made by Huffman's algorithm, with zlib's way of breaking ties.
struct Tree {
    lengths: Vec<u8>,
    highest: usize,
    /// Bits of everything counted, in this code and in the fixed one.
    cost: i64,
    fixed_cost: i64,
}

impl Tree {
    fn new(counts: &[u32], longest: u8, extra: impl Fn(usize) -> u8, fixed: impl Fn(usize) -> u8) -> Tree {
        let elements = counts.len();
        let mut nodes = Nodes {
            counts: counts.to_vec(),
            depths: vec![0; elements],
            heap: vec![0],
        };
        nodes.counts.resize(elements * 2 + 1, 0);
        nodes.depths.resize(elements * 2 + 1, 0);
        let (mut cost, mut fixed_cost) = (0, 0);
        let mut highest = None;
        for symbol in (0..elements).filter(|&symbol| counts[symbol] != 0) {
            nodes.heap.push(symbol);
            highest = Some(symbol);
        }
        // At least two codes, even if there is nothing to code.
        while nodes.heap.len() < 3 {
            let symbol = match highest {
                None => 0,
                Some(known) if known < 2 => known + 1,
                Some(_) => 0,
            };
            if highest.is_none_or(|known| known < 2) {
                highest = Some(symbol);
            }
            nodes.heap.push(symbol);
            nodes.counts[symbol] = 1;
            cost -= 1;
            fixed_cost -= i64::from(fixed(symbol));
        }
        let highest = highest.unwrap_or(0);
        for start in (1..=(nodes.heap.len() - 1) / 2).rev() {
            nodes.sift(start);
        }
        let mut parents = vec![0usize; elements * 2 + 1];
        // Nodes in the order in which they were taken from the heap.
        let mut taken = Vec::new();
        let mut node = elements;
        while nodes.heap.len() > 2 {
            let one = nodes.pop();
            let two = nodes.heap[1];
            taken.extend([one, two]);
            nodes.counts[node] = nodes.counts[one] + nodes.counts[two];
            nodes.depths[node] = nodes.depths[one].max(nodes.depths[two]) + 1;
            parents[one] = node;
            parents[two] = node;
            nodes.heap[1] = node;
            node += 1;
            nodes.sift(1);
        }
        let root = nodes.heap[1];
        let mut lengths = vec![0u8; elements * 2 + 1];
        let mut by_length = [0u32; 16];
        let mut overflow = 0i32;
        let is_leaf = |node: usize| node < elements;
        for &node in taken.iter().rev() {
            let mut length = lengths[parents[node]] + 1;
            if length > longest {
                length = longest;
                overflow += 1;
            }
            lengths[node] = length;
            if !is_leaf(node) {
                continue;
            }
            by_length[usize::from(length)] += 1;
            let count = i64::from(nodes.counts[node]);
            cost += count * i64::from(length + extra(node));
            fixed_cost += count * i64::from(fixed(node) + extra(node));
        }
        lengths[root] = 0;
        if overflow > 0 {
            while overflow > 0 {
                let mut length = usize::from(longest) - 1;
                while by_length[length] == 0 {
                    length -= 1;
                }
                by_length[length] -= 1;
                by_length[length + 1] += 2;
                by_length[usize::from(longest)] -= 1;
                overflow -= 2;
            }
            let mut leaves = taken.iter().copied().filter(|&node| is_leaf(node));
            for length in (1..=longest).rev() {
                for _ in 0..by_length[usize::from(length)] {
                    let Some(node) = leaves.next() else { break };
                    cost += (i64::from(length) - i64::from(lengths[node])) * i64::from(nodes.counts[node]);
                    lengths[node] = length;
                }
            }
        }
        lengths.truncate(elements);
        Tree {
            lengths,
            highest,
            cost,
            fixed_cost,
        }
    }
}

/// A heap of nodes from index 1 on, the rarest first.
struct Nodes {
    counts: Vec<u32>,
    depths: Vec<u8>,
    heap: Vec<usize>,
}

impl Nodes {
    fn is_smaller(&self, one: usize, two: usize) -> bool {
        (self.counts[one], self.depths[one]) <= (self.counts[two], self.depths[two])
    }

    fn sift(&mut self, start: usize) {
        let size = self.heap.len() - 1;
        let moved = self.heap[start];
        let mut hole = start;
        let mut child = hole * 2;
        while child <= size {
            if child < size && self.is_smaller(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if self.is_smaller(moved, self.heap[child]) {
                break;
            }
            self.heap[hole] = self.heap[child];
            hole = child;
            child *= 2;
        }
        self.heap[hole] = moved;
    }

    fn pop(&mut self) -> usize {
        let top = self.heap[1];
        if let Some(last) = self.heap.pop()
            && self.heap.len() > 1
        {
            self.heap[1] = last;
            self.sift(1);
        }
        top
    }
}
