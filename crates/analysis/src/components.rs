//! Strongly connected components of a graph (Tarjan), without recursion: callees come before their callers.

/// The components, each a list of nodes; a component comes after all that its nodes lead to.
pub(crate) fn components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let mut order = vec![NEW; edges.len()];
    let mut low = vec![0; edges.len()];
    let mut open = vec![false; edges.len()];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for start in 0..edges.len() as u32 {
        if order[start as usize] != NEW {
            continue;
        }
        let mut path: Vec<(u32, usize)> = vec![(start, 0)];
        while let Some(&mut (node, ref mut edge)) = path.last_mut() {
            let at = node as usize;
            if *edge == 0 {
                (order[at], low[at], open[at]) = (next, next, true);
                next += 1;
                stack.push(node);
            }
            if let Some(&to) = edges[at].get(*edge) {
                *edge += 1;
                if order[to as usize] == NEW {
                    path.push((to, 0));
                } else if open[to as usize] {
                    low[at] = low[at].min(order[to as usize]);
                }
                // A node without further edges is entered with 0 only once.
                continue;
            }
            path.pop();
            if let Some(&(above, _)) = path.last() {
                low[above as usize] = low[above as usize].min(low[at]);
            }
            if low[at] == order[at] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    open[member as usize] = false;
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                found.push(component);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_one_component_and_callees_come_first() {
        let edges = vec![vec![1, 4], vec![2], vec![1, 3], vec![], vec![4]];
        let mut found = components(&edges);
        found.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(found, [vec![3], vec![1, 2], vec![4], vec![0]]);
    }
}
