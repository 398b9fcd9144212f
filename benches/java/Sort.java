// Sorting: hand written quicksort, heapsort and merge sort, Arrays.sort and sorting with comparators. One checksum.
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

public class Sort {
    record Person(String name, int age) { }

    static int[] numbers(int n, int seed) {
        int[] a = new int[n];
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245 + 12345;
            a[i] = (seed >>> 4) % 100_000;
        }
        return a;
    }

    static void quick(int[] a, int lo, int hi) {
        while (lo < hi) {
            int p = a[(lo + hi) >>> 1];
            int i = lo;
            int j = hi;
            while (i <= j) {
                while (a[i] < p) i++;
                while (a[j] > p) j--;
                if (i <= j) {
                    int t = a[i];
                    a[i++] = a[j];
                    a[j--] = t;
                }
            }
            if (j - lo < hi - i) {
                quick(a, lo, j);
                lo = i;
            } else {
                quick(a, i, hi);
                hi = j;
            }
        }
    }

    static void heap(int[] a) {
        int n = a.length;
        for (int i = n / 2 - 1; i >= 0; i--) sift(a, i, n);
        for (int end = n - 1; end > 0; end--) {
            int t = a[0];
            a[0] = a[end];
            a[end] = t;
            sift(a, 0, end);
        }
    }

    static void sift(int[] a, int i, int n) {
        int v = a[i];
        while (2 * i + 1 < n) {
            int c = 2 * i + 1;
            if (c + 1 < n && a[c + 1] > a[c]) c++;
            if (a[c] <= v) break;
            a[i] = a[c];
            i = c;
        }
        a[i] = v;
    }

    static int[] merge(int[] a) {
        if (a.length < 2) return a;
        int[] l = merge(Arrays.copyOfRange(a, 0, a.length / 2));
        int[] r = merge(Arrays.copyOfRange(a, a.length / 2, a.length));
        int[] out = new int[a.length];
        int i = 0;
        int j = 0;
        for (int k = 0; k < out.length; k++) {
            out[k] = j == r.length || i < l.length && l[i] <= r[j] ? l[i++] : r[j++];
        }
        return out;
    }

    static long digest(int[] a) {
        long h = 0;
        for (int i = 0; i < a.length; i++) {
            if (i > 0 && a[i - 1] > a[i]) throw new AssertionError("not sorted at " + i);
            h = h * 31 + a[i];
        }
        return h;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 36;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            int[] a = numbers(4000, round);
            int[] b = a.clone();
            int[] c = a.clone();
            quick(a, 0, a.length - 1);
            heap(b);
            check = check * 31 + digest(a) + digest(b) + digest(merge(c));
            Arrays.sort(c);
            check = check * 31 + digest(c);

            List<Person> people = new ArrayList<>();
            for (int v : numbers(1000, round + 99)) people.add(new Person("n" + v % 500, v % 90));
            people.sort(Comparator.comparingInt(Person::age).thenComparing(Person::name));
            check = check * 31 + people.get(10).name().hashCode() + people.get(500).age();
            people.sort(Comparator.comparing(Person::name).reversed());
            check = check * 31 + people.get(20).age();
            Integer[] boxed = new Integer[1500];
            for (int i = 0; i < boxed.length; i++) boxed[i] = i * 7919 % 1511;
            Arrays.sort(boxed, (x, y) -> Integer.compare(y, x));
            check = check * 31 + boxed[5];
        }
        System.out.println("sort " + check);
    }
}
