//! What the calls of an execution came to, and which had ended before which began.

/// The calls of each thread that have begun, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct History {
    /// By the number of the thread.
    pub threads: Vec<Vec<Call>>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// How many calls of each thread had ended when it began.
    pub after: Vec<u32>,
    /// How it ended, if it has.
    pub ended: Option<Ended>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ended {
    /// Whether it threw an exception.
    pub threw: bool,
    /// What it returned, as Java would write it, or the class of what it threw.
    pub result: String,
    /// Whether the thread was interrupted then, if that was noted.
    pub interrupted: bool,
    /// Whether the thread might have parked without waiting, if that was noted.
    pub permit: bool,
}

/// A call by its thread, and by its number among the calls of that thread.
pub(crate) type Place = (usize, usize);

impl History {
    /// The calls that have begun.
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> {
        let threads = self.threads.iter().enumerate();
        threads.flat_map(|(thread, calls)| (0..calls.len()).map(move |call| (thread, call)))
    }

    pub(crate) fn at(&self, (thread, call): Place) -> &Call {
        &self.threads[thread][call]
    }

    /// Whether some call has not ended.
    pub fn is_pending(&self) -> bool {
        self.places().any(|place| self.at(place).ended.is_none())
    }

    /// Whether one call had ended before another began.
    pub(crate) fn is_before(&self, one: Place, two: Place) -> bool {
        match one.0 == two.0 {
            true => one.1 < two.1,
            false => one.1 < self.at(two).after[one.0] as usize,
        }
    }

    /// Whether the calls were made in this order, one after the other.
    pub(crate) fn is_in_order(&self, order: &[Place]) -> bool {
        order.len() == self.places().count()
            && order.windows(2).all(|pair| {
                let known = |&(thread, call): &Place| self.threads.get(thread).is_some_and(|calls| call < calls.len());
                pair.iter().all(known) && self.is_before(pair[0], pair[1])
            })
    }

    /// All orders of the calls that keep those that are before others in time; at most so many.
    pub(crate) fn orders(&self, most: usize) -> Vec<Vec<Place>> {
        let mut orders = Vec::new();
        self.extend_order(&mut Vec::new(), &mut orders, most);
        orders
    }

    fn extend_order(&self, order: &mut Vec<Place>, orders: &mut Vec<Vec<Place>>, most: usize) {
        if orders.len() == most {
            return;
        }
        let left: Vec<Place> = self.places().filter(|place| !order.contains(place)).collect();
        if left.is_empty() {
            orders.push(order.clone());
        }
        for &next in &left {
            if !left.iter().any(|&other| other != next && self.is_before(other, next)) {
                order.push(next);
                self.extend_order(order, orders, most);
                order.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn history(threads: &[&[(&[u32], &str)]]) -> History {
        let call = |&(after, result): &(&[u32], &str)| Call {
            after: after.to_vec(),
            ended: Some(Ended {
                threw: false,
                result: result.to_owned(),
                interrupted: false,
                permit: false,
            }),
        };
        let threads = threads.iter().map(|calls| calls.iter().map(call).collect());
        History {
            threads: threads.collect(),
        }
    }

    #[test]
    fn orders_keep_what_is_before() {
        // The second call of the first thread begins when the other thread is done.
        let overlapping = history(&[&[(&[0, 0], "1"), (&[1, 1], "2")], &[(&[0, 0], "3")]]);
        let orders = overlapping.orders(10);
        assert_eq!(orders, [vec![(0, 0), (1, 0), (0, 1)], vec![(1, 0), (0, 0), (0, 1)]]);
        assert!(orders.iter().all(|order| !overlapping.is_in_order(order)));
        let one_by_one = history(&[&[(&[0, 0], "1"), (&[1, 1], "2")], &[(&[1, 0], "3")]]);
        assert_eq!(one_by_one.orders(10), [vec![(0, 0), (1, 0), (0, 1)]]);
        assert!(one_by_one.is_in_order(&one_by_one.orders(1)[0]));
    }
}
