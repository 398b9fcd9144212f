//! What threads may still do: the steps from their control points on, as the text has them.
//!
//! Some threads are held still. The others are followed from where they stand, over every step that may be taken: one that has to wait
//! is not, as long as only who is held still could end the waiting. It waits for a lock that one of these has; for a semaphore that is
//! down and that no step so far raises; for a condition with a part that does not hold and in which no step so far writes; for
//! a notification that no step so far gives. Steps are added until no more may be taken.
//!
//! SOUNDNESS: a step that is taken in some execution without those who are held still is in the set: let it be the first that is not; then
//! all before it are, and either nothing kept it waiting at the start, or one of these has ended that.

use crate::code::{Act, Cell, Expr, Model, Op};
use crate::run::{Ready, Run};
use crate::static_footprint::{StaticFootprint, has_locals, may_fail, parts};
use crate::syntax::Operator;
use crate::system::{Action, State};
use kernel::{AccessKind, Location, MemoryAccess, ThreadId, Transition, Transitions, conflict};

/// No execution that is explored raises a semaphore from here to where it counts too far.
const FAR: u32 = 1 << 30;

/// A touch as it can be told beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    thread: usize,
    touch: MemoryAccess,
    /// Whether it adds something to what is there, as part of a step that reads nothing else of it: two such commute.
    adds: bool,
}

/// The steps that may be taken while some threads are held still.
struct Future<'m> {
    model: &'m Model,
    state: &'m mut State,
    still: &'m [ThreadId],
    /// What the steps so far touch.
    marks: Vec<Mark>,
    /// The points that were come to, and whether the step there was found to be possible.
    points: Vec<(usize, u32, bool)>,
}

impl Future<'_> {
    fn is_still(&self, thread: usize) -> bool {
        self.still.contains(&ThreadId(thread as u32))
    }

    /// Whether one who is held still has a lock.
    fn is_kept(&self, word: u32) -> bool {
        let holder = self.model.holder(self.state, word);
        holder.is_some_and(|holder| self.is_still(holder))
    }

    /// Follows all others as far as they may go.
    fn follow(&mut self) {
        for thread in 0..self.model.threads() {
            if !self.is_still(thread) && self.model.step(self.state, thread).is_some() {
                let point = self.model.point(self.state, thread);
                self.points.push((thread, point, false));
            }
        }
        loop {
            let before = (self.points.len(), self.marks.len());
            let mut changed = false;
            let mut at = 0;
            while at < self.points.len() {
                let (thread, point, taken) = self.points[at];
                if !taken && !self.waits(thread, point) {
                    self.points[at].2 = true;
                    self.take(thread, point);
                    changed = true;
                }
                at += 1;
            }
            if !changed && before == (self.points.len(), self.marks.len()) {
                return;
            }
        }
    }

    fn is_next(&self, thread: usize, point: u32) -> bool {
        self.model.point(self.state, thread) == point
    }

    /// Adds a step and where it may lead.
    fn take(&mut self, thread: usize, point: u32) {
        let step = &self.model.steps[point as usize];
        let mut touches = Vec::new();
        // A thread may come back to where it is.
        for now in [true, false] {
            if now && !self.is_next(thread, point) {
                continue;
            }
            let footprint = StaticFootprint::new(self.model, thread, now.then_some(&*self.state));
            if !now && self.is_next(thread, point) && !self.model.comes_back(point) {
                continue;
            }
            footprint.touches(self.state, &step.op, &mut touches);
        }
        for touch in touches {
            let adds = self.model.adds(self.state, &step.op, touch);
            let mark = Mark { thread, touch, adds };
            if !self.marks.contains(&mark) {
                self.marks.push(mark);
            }
        }
        let footprint = StaticFootprint::new(self.model, thread, None);
        let decided = match &step.op {
            Op::Branch(condition, _) => footprint.value(condition),
            _ => None,
        };
        let mut next = Vec::new();
        match &step.op {
            Op::End => {}
            Op::Branch(_, otherwise) => {
                if decided != Some(0) {
                    next.push(step.next);
                }
                if decided.is_none_or(|value| value == 0) {
                    next.push(*otherwise);
                }
            }
            Op::Either(targets) => next.extend(targets),
            _ => next.push(step.next),
        }
        for point in next {
            let ends = matches!(self.model.steps[point as usize].op, Op::End);
            if !ends && !self.points.iter().any(|known| (known.0, known.1) == (thread, point)) {
                self.points.push((thread, point, false));
            }
        }
    }

    /// Whether a step has to wait for one who is held still, for all that was found so far.
    fn waits(&mut self, thread: usize, point: u32) -> bool {
        let model = self.model;
        let now = self.is_next(thread, point) && !model.comes_back(point);
        let footprint = |state| StaticFootprint::new(model, thread, now.then_some(state));
        match &model.steps[point as usize].op {
            Op::Acquire(lock) => {
                let mut words = footprint(&*self.state).words(lock);
                words.all(|word| self.is_kept(word))
            }
            Op::Reacquire => {
                let words = footprint(&*self.state).awaited(self.state);
                !words.is_empty() && words.into_iter().all(|word| self.is_kept(word))
            }
            Op::Waiting => {
                let words = footprint(&*self.state).awaited(self.state);
                !model.spurious && !words.into_iter().any(|word| self.is_notified(word))
            }
            Op::Down(semaphore) => {
                let mut words = footprint(&*self.state).words(semaphore);
                words.all(|word| self.state.words[word as usize] == 0 && !self.is_raised(word))
            }
            Op::Do(Some(guard), _) => self.never_holds(thread, now, guard),
            _ => false,
        }
    }

    /// Whether a condition does not hold, and nothing found so far changes that.
    ///
    /// SOUNDNESS: a step whose condition has no value is possible, and fails. So the parts before the one that does not hold must have
    /// their values whatever the others do.
    fn never_holds(&mut self, thread: usize, now: bool, condition: &Expr) -> bool {
        let mut all = Vec::new();
        parts(condition, &mut all);
        for part in all {
            let mut reads = Vec::new();
            let footprint = StaticFootprint::new(self.model, thread, now.then_some(&*self.state));
            footprint.reads(part, &mut reads);
            let changes = self.marks.iter().any(|mark| conflict(&reads, &[mark.touch])) || !now && has_locals(part);
            match Run::new(self.model, self.state, thread, false).value(part) {
                Ok(0) if !changes => return true,
                Ok(_) if !changes || !may_fail(part) => {}
                _ => return false,
            }
        }
        false
    }

    /// Whether somebody may be notified at a lock.
    fn is_notified(&self, word: u32) -> bool {
        self.may_affect(word, |op| match op {
            Op::Notify(lock) | Op::NotifyAll(lock) => Some(lock),
            _ => None,
        })
    }

    /// Whether somebody may raise a semaphore.
    fn is_raised(&self, word: u32) -> bool {
        self.may_affect(word, |op| match op {
            Op::Up(semaphore) => Some(semaphore),
            _ => None,
        })
    }

    /// Whether a step so far may be about a lock or semaphore; `subject` is what a step is about, if it counts.
    fn may_affect(&self, word: u32, subject: impl Fn(&Op) -> Option<&Cell>) -> bool {
        self.points.iter().any(|&(thread, point, taken)| {
            let cell = subject(&self.model.steps[point as usize].op).filter(|_| taken);
            cell.is_some_and(|cell| {
                StaticFootprint::new(self.model, thread, None)
                    .words(cell)
                    .contains(&word)
            })
        })
    }

    /// Adds those of the others who interfere with the next step of a thread.
    fn interfering_threads(&mut self, thread: usize, out: &mut Vec<ThreadId>) {
        let model = self.model;
        let Some(step) = model.step(self.state, thread) else {
            return;
        };
        let ready = model.look(self.state, thread);
        let can = !matches!(ready, Ready::No) || model.spurious && matches!(step.op, Op::Waiting);
        let mut own = std::mem::take(&mut self.state.touches);
        // Who wants a lock gets it only after its holder has done something about it.
        let mut holder = None;
        if !can {
            self.keep_hindrance(thread, &step.op, &mut own);
            if let Some(word) = model.wanted(self.state, thread) {
                holder = model.holder(self.state, word);
            }
        }
        for mark in &self.marks {
            let is_lock = mark.touch.location.cell == Location::MONITOR;
            // Whoever has not the lock fails, before and after.
            let in_vain = is_lock
                && mark.touch.access == AccessKind::Release
                && self.is_kept(mark.touch.location.object.wrapping_sub(1));
            let helps = !is_lock || holder.is_none_or(|holder| holder == mark.thread);
            let interferes = |touch: &MemoryAccess| {
                touch.conflicts(mark.touch) && !(mark.adds && can && model.adds(self.state, &step.op, *touch))
            };
            let interfering = ThreadId(mark.thread as u32);
            if helps && !in_vain && own.iter().any(interferes) && !out.contains(&interfering) {
                out.push(interfering);
            }
        }
        self.state.touches = own;
    }

    /// Of what a thread touches that waits for a condition, keeps what would have to change before it can go on: what the first part
    /// that does not hold looks at, and the parts before it that might fail.
    fn keep_hindrance(&mut self, thread: usize, op: &Op, touches: &mut Vec<MemoryAccess>) {
        let Op::Do(Some(guard), _) = op else { return };
        let mut all = Vec::new();
        parts(guard, &mut all);
        touches.clear();
        for part in all {
            let holds = !matches!(Run::new(self.model, self.state, thread, false).value(part), Ok(0));
            if !holds || may_fail(part) {
                StaticFootprint::new(self.model, thread, Some(&*self.state)).reads(part, touches);
            }
            if !holds {
                return;
            }
        }
    }
}

/// Whether a step only adds something that its thread alone decides to one volatile variable.
fn is_sum(op: &Op) -> bool {
    let Op::Do(None, acts) = op else { return false };
    let [Act::Set(sets)] = &acts[..] else { return false };
    let [(cell, Expr::Binary(operator, left, right))] = &sets[..] else {
        return false;
    };
    let same = |expr: &Expr| match expr {
        Expr::Cell(read) => {
            let numbered = |cell: &Cell| match cell.index.as_deref() {
                None => Some(None),
                Some(Expr::Number(number)) => Some(Some(*number)),
                Some(_) => None,
            };
            let parameter = |cell: &Cell| matches!(cell.index.as_deref(), Some(Expr::Parameter));
            let one_element =
                parameter(cell) && parameter(read) || numbered(cell).is_some() && numbered(cell) == numbered(read);
            !read.local && read.first == cell.first && one_element
        }
        _ => false,
    };
    let sums = match operator {
        Operator::Plus => same(left) && right.is_local() || same(right) && left.is_local(),
        Operator::Minus => same(left) && right.is_local(),
        _ => false,
    };
    sums && cell.volatile && !cell.local && !may_fail(left) && !may_fail(right)
}

impl Model {
    /// Whether a thread may come to a step again after it has taken it.
    fn comes_back(&self, point: u32) -> bool {
        let mut seen = vec![point];
        let mut at = 0;
        while at < seen.len() {
            let step = &self.steps[seen[at] as usize];
            let more: &[u32] = match &step.op {
                Op::Branch(_, otherwise) => &[step.next, *otherwise],
                Op::Either(targets) => targets,
                Op::End => &[],
                _ => &[step.next],
            };
            if more.contains(&point) {
                return true;
            }
            for &next in more {
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            at += 1;
        }
        false
    }

    /// Whether a touch by a step only adds something to what is there. Two such commute, as long as nobody counts too far.
    fn adds(&self, state: &State, op: &Op, touch: MemoryAccess) -> bool {
        match op {
            Op::Up(_) if touch.access == AccessKind::AtomicWrite => {
                let word = touch.location.object.wrapping_sub(1);
                state.words.get(word as usize).is_some_and(|&count| count < FAR)
            }
            _ => is_sum(op),
        }
    }

    /// Whether some step of a thread touches a variable.
    pub(crate) fn uses(&self, thread: usize, first: u32) -> bool {
        let footprint = StaticFootprint::new(self, thread, None);
        let start = self.start();
        self.steps_of(self.instances[thread].template).any(|step| {
            let mut touches = Vec::new();
            footprint.touches(&start, &self.steps[step].op, &mut touches);
            touches.iter().any(|touch| touch.location.object == first + 1)
        })
    }

    /// Adds the threads that may interfere with those who are held still.
    pub(crate) fn add_interfering_threads(&self, state: &mut State, still: &[ThreadId], out: &mut Vec<ThreadId>) {
        let mut future = Future {
            model: self,
            state,
            still,
            marks: Vec::new(),
            points: Vec::new(),
        };
        future.follow();
        for thread in still {
            future.interfering_threads(thread.0 as usize, out);
        }
    }

    /// Whether two enabled steps commute: what they touch does not conflict, or both only add to it.
    pub(crate) fn commute_steps(
        &self,
        state: &State,
        transitions: &Transitions<Action>,
        one: &Transition<Action>,
        two: &Transition<Action>,
    ) -> bool {
        let op = |entry: &Transition<Action>| self.step(state, entry.thread.0 as usize).map(|step| &step.op);
        let adds =
            |entry: &Transition<Action>, touch: MemoryAccess| op(entry).is_some_and(|op| self.adds(state, op, touch));
        let theirs = transitions.footprint(two);
        transitions.footprint(one).iter().all(|&mine| {
            let interferes = |&touch: &MemoryAccess| mine.conflicts(touch) && !(adds(one, mine) && adds(two, touch));
            !theirs.iter().any(interferes)
        })
    }
}
