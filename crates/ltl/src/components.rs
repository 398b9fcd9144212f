//! Strongly connected components of a graph (Tarjan), without recursion.

/// The component of each node. A component has a smaller number than those from which it can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The number of each node's component; `None` for nodes that the roots do not reach.
    pub of: Vec<Option<usize>>,
    /// How many there are.
    pub count: usize,
}

impl Components {
    /// Whether both nodes are in one component.
    pub fn together(&self, one: usize, other: usize) -> bool {
        self.of[one].is_some() && self.of[one] == self.of[other]
    }
}

/// The components of what the roots reach in a graph with so many nodes.
pub fn components<I: Iterator<Item = usize>>(
    nodes: usize,
    roots: impl IntoIterator<Item = usize>,
    targets: impl Fn(usize) -> I,
) -> Components {
    let mut found = Components {
        of: vec![None; nodes],
        count: 0,
    };
    let mut numbers: Vec<Option<usize>> = vec![None; nodes];
    let mut lowest = vec![0; nodes];
    let mut next = 0;
    let mut open = Vec::new();
    for root in roots {
        if numbers[root].is_some() {
            continue;
        }
        let mut path = Vec::new();
        let mut enter = |node: usize, path: &mut Vec<(usize, I)>, open: &mut Vec<usize>, lowest: &mut Vec<usize>| {
            lowest[node] = next;
            next += 1;
            open.push(node);
            path.push((node, targets(node)));
            Some(lowest[node])
        };
        numbers[root] = enter(root, &mut path, &mut open, &mut lowest);
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.next() {
                Some(target) if numbers[target].is_none() => {
                    numbers[target] = enter(target, &mut path, &mut open, &mut lowest);
                }
                Some(target) if found.of[target].is_none() => lowest[node] = lowest[node].min(lowest[target]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        lowest[*before] = lowest[*before].min(lowest[node]);
                    }
                    if numbers[node] == Some(lowest[node]) {
                        while let Some(member) = open.pop() {
                            found.of[member] = Some(found.count);
                            if member == node {
                                break;
                            }
                        }
                        found.count += 1;
                    }
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_numbered_from_the_ends() {
        let graph = [vec![1], vec![2, 3], vec![1], vec![4], vec![4], vec![0]];
        let found = components(6, [0], |node| graph[node].iter().copied());
        assert_eq!(found.of, [Some(3), Some(2), Some(2), Some(1), Some(0), None]);
        assert_eq!(found.count, 4);
        assert!(found.together(1, 2) && !found.together(0, 1) && !found.together(5, 5));
    }
}
