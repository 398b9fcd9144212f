//! What can be asked for, and what it is when nothing is said.

use kernel::Property;
use reduction::Combination;
use search::Order;
use search::temporal::Fairness;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// The heap's size in bytes where none is given.
pub const HEAP: u64 = 1 << 30;
/// The same for each thread's stack.
pub const STACK: u64 = 1 << 20;

/// Where classes come from.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    /// Folders and jars with classes, with `:` between them.
    pub class_path: String,
    /// The JDK to use; else `JAVA_HOME`, `java` on the `PATH`, or the usual folders.
    pub jdk: Option<PathBuf>,
}

/// A program, and what it is told about the world.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Where classes come from.
    pub classes: Classes,
    /// System properties: `NAME=VALUE`.
    pub define: Vec<String>,
    /// The heap's size in bytes.
    pub heap: u64,
    /// Each thread's stack size in bytes.
    pub stack: u64,
    /// A .java or .class file, a .jar, or the name of a class; where programs are explored also a model, a .rad file.
    pub program: String,
    /// Arguments of the program.
    pub arguments: Vec<String>,
}

impl Subject {
    /// A program with nothing said about it.
    pub fn new(program: impl Into<String>) -> Subject {
        Subject {
            classes: Classes::default(),
            define: Vec::new(),
            heap: HEAP,
            stack: STACK,
            program: program.into(),
            arguments: Vec::new(),
        }
    }
}

/// What is explored, and how.
#[derive(Clone, Debug)]
pub struct Exploring {
    /// What to check.
    pub subject: Subject,
    /// The method to begin with instead of `main`: static, or of a fresh object; `test` or `Class.test`.
    pub entry: Option<String>,
    /// The properties to check; the usual ones if there are none.
    pub properties: BTreeSet<Property>,
    /// The order of the search.
    pub search: Order,
    /// How visited states are kept.
    pub store: StoreKind,
    /// Stop after this time.
    pub time: Option<Duration>,
    /// Stop before the process holds more bytes than this; else three quarters of what is free.
    pub memory: Option<u64>,
    /// Stop after this many states.
    pub states: Option<u64>,
    /// Whether waiting threads wake up and weak compare-and-set fails for no reason.
    pub spurious: bool,
    /// Fields, as `Class.field` or `field`, or variables of a model, on which data races are accepted.
    pub allow_race: Vec<String>,
    /// Whether operations of the library take effect at once.
    pub library: LibraryMode,
    /// A file with certificates of operations, besides those that are built in.
    pub certificates: Option<PathBuf>,
    /// Methods that take effect at once, by the user's word: `Class.method`, with `*` for any part of a name.
    pub operation: Vec<String>,
    /// Classes whose shared objects are only used by threads that have locked them.
    pub self_locking: Vec<String>,
    /// Classes about whose objects reductions assume nothing.
    pub shared: Vec<String>,
    /// A file with rules by which variables are accessed, for the reduction `optimistic`.
    pub discipline: Option<PathBuf>,
}

impl Exploring {
    /// A program, with all else as it is when nothing is said.
    pub fn new(program: impl Into<String>) -> Exploring {
        Exploring {
            subject: Subject::new(program),
            entry: None,
            properties: BTreeSet::new(),
            search: Order::Depth,
            store: StoreKind::Exact,
            time: None,
            memory: None,
            states: None,
            spurious: false,
            allow_race: Vec::new(),
            library: LibraryMode::Operations,
            certificates: None,
            operation: Vec::new(),
            self_locking: Vec::new(),
            shared: Vec::new(),
            discipline: None,
        }
    }
}

/// A check.
#[derive(Clone, Debug)]
pub struct Check {
    /// What to explore, and how.
    pub how: Exploring,
    /// The reductions to use.
    pub reductions: Combination,
    /// Whether to go on after a violation; each distinct one is reported once.
    pub all: bool,
    /// The most switches away from a thread that could go on.
    pub preemptions: Option<u32>,
    /// Where source files are, for traces.
    pub source: Vec<PathBuf>,
    /// Where the numbers of a random search come from.
    pub seed: u64,
    /// Whether the threads of each state are tried in an order drawn from the seed.
    pub shuffle: bool,
    /// Whether random walks before the search may find a violation without it.
    pub random_walks: bool,
    /// Temporal formulas that are to hold.
    pub ltl: Vec<String>,
    /// A file of such formulas, a line each.
    pub ltl_file: Option<PathBuf>,
    /// Which executions they are about.
    pub fairness: Fairness,
}

impl Check {
    /// A check of a program, with all else as it is when nothing is said.
    pub fn new(program: impl Into<String>) -> Check {
        Check {
            how: Exploring::new(program),
            reductions: Combination::auto(),
            all: false,
            preemptions: None,
            source: Vec::new(),
            seed: 0,
            shuffle: false,
            random_walks: true,
            ltl: Vec::new(),
            ltl_file: None,
            fairness: Fairness::Weak,
        }
    }
}

/// A comparison of strategies on one program.
#[derive(Clone, Debug)]
pub struct Compare {
    /// What to explore, and how.
    pub how: Exploring,
    /// The strategies, each as the user calls it; those of the literature if there are none.
    pub strategies: Vec<(String, Combination)>,
}

/// A schedule to be followed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The file that it was written to.
    pub trace: PathBuf,
    /// The JDK to use; else `JAVA_HOME`, `java` on the `PATH`, or the usual folders.
    pub jdk: Option<PathBuf>,
    /// Where source files are.
    pub source: Vec<PathBuf>,
}

/// Which objects of a program only one thread can ever reach.
#[derive(Clone, Debug)]
pub struct Analyze {
    /// Where classes come from.
    pub classes: Classes,
    /// The method to begin with instead of `main`.
    pub entry: Option<String>,
    /// Whether the places in the JDK's code are told, too.
    pub all: bool,
    /// A .java or .class file, a .jar, or the name of a class.
    pub program: String,
}

/// Random programs on which all strategies must say the same.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// The number of the first program.
    pub seed: u64,
    /// How many programs.
    pub count: u64,
    /// About how many statements a thread has at most.
    pub size: usize,
    /// Adds a strategy that leaves out schedules with more preemptions, and so must be caught.
    pub blind: Option<u32>,
    /// All strategies leave out schedules with more preemptions, and are held against each other.
    pub preemptions: Option<u32>,
    /// Programs with more states are passed over.
    pub states: u64,
    /// Only Java programs; else models and Java programs in turn.
    pub java: bool,
    /// Only Java programs that use java.util.concurrent, interrupts, the clock or hash codes.
    pub concurrent: bool,
    /// Only models.
    pub models: bool,
    /// Whether each program is searched in all ways there are, not in a few of them.
    pub every: bool,
    /// Whether steps that are said to commute are taken in both orders.
    pub commute: bool,
    /// Whether operations of the library take effect at once, but for one search.
    pub operations: bool,
    /// The JDK to use; else `JAVA_HOME`, `java` on the `PATH`, or the usual folders.
    pub jdk: Option<PathBuf>,
}

/// How visited states are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    /// Every state in full, compressed.
    Exact,
    /// 128 bits of each state.
    Fingerprint,
    /// A few bits of each state; never more than unknown.
    Bits,
}

impl StoreKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Exact => "exact",
            StoreKind::Fingerprint => "fingerprint",
            StoreKind::Bits => "bits",
        }
    }
}

/// How the JDK's library is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryMode {
    /// Its operations take effect at once, where they were proved to.
    Operations,
    /// Every interleaving inside of it.
    Whole,
}

/// The name of an order in reports.
pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::Depth => "dfs",
        Order::Breadth => "bfs",
        Order::Random => "random",
    }
}
