// Everyday collections: ArrayList, HashMap, TreeMap, ArrayDeque, sets and streams; prints one checksum.
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Collections {
    static int seed = 12345;

    static int next(int bound) {
        seed = seed * 1103515245 + 12345;
        return (seed >>> 8) % bound;
    }

    static long lists(int n) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++) list.add(next(1000));
        long sum = 0;
        for (int v : list) sum += v;
        for (int i = 0; i < list.size(); i += 2) list.set(i, list.get(i) + 1);
        list.removeIf(v -> v % 3 == 0);
        for (Iterator<Integer> it = list.iterator(); it.hasNext();) {
            if (it.next() % 5 == 0) sum++;
        }
        return sum * 31 + list.size();
    }

    static long maps(int n) {
        Map<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < n; i++) counts.merge(next(500), 1, Integer::sum);
        Map<String, Integer> byName = new LinkedHashMap<>();
        for (Map.Entry<Integer, Integer> e : counts.entrySet()) byName.put("k" + e.getKey(), e.getValue());
        long sum = 0;
        for (int i = 0; i < n; i++) {
            Integer v = byName.get("k" + (i % 600));
            sum += v == null ? -1 : v;
        }
        return sum;
    }

    static long trees(int n) {
        TreeMap<Integer, String> tree = new TreeMap<>();
        for (int i = 0; i < n; i++) tree.put(next(100_000), "v");
        long sum = tree.size();
        for (int i = 0; i < n; i++) {
            Integer k = tree.ceilingKey(next(100_000));
            if (k != null) sum += k;
        }
        while (tree.size() > n / 2) sum += tree.pollFirstEntry().getKey();
        return sum;
    }

    static long queues(int n) {
        ArrayDeque<Integer> deque = new ArrayDeque<>();
        PriorityQueue<Integer> heap = new PriorityQueue<>();
        HashSet<Integer> seen = new HashSet<>();
        long sum = 0;
        for (int i = 0; i < n; i++) {
            deque.addLast(i);
            if (i % 3 == 0) sum += deque.pollFirst();
            heap.add(next(10_000));
            if (i % 2 == 0) sum += heap.poll();
            if (seen.add(next(3000))) sum++;
        }
        return sum;
    }

    static long streams(int n) {
        long a = IntStream.range(0, n).filter(i -> i % 3 == 1).mapToLong(i -> (long) i * i).sum();
        Map<Integer, Long> groups = IntStream.range(0, n).boxed()
            .collect(Collectors.groupingBy(i -> i % 7, Collectors.counting()));
        String text = IntStream.range(0, n / 10).mapToObj(Integer::toString).collect(Collectors.joining(","));
        List<Integer> sorted = IntStream.range(0, n).map(i -> i * 7919 % 1009).boxed().sorted().distinct().toList();
        return a + groups.hashCode() + text.hashCode() + sorted.size();
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 20;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            check = check * 31 + lists(3000);
            check = check * 31 + maps(3000);
            check = check * 31 + trees(2000);
            check = check * 31 + queues(2000);
            check = check * 31 + streams(2000);
        }
        System.out.println("collections " + check);
    }
}
