import java.util.ArrayList;
import java.util.List;

/** A bit of everything that bytecode can do, to be broken at random. */
public class M000000 {
    static int count;
    static final long START = 7L;
    int field;
    long wide = 3;
    M000000 next;
    byte small;

    M000000(int field, M000000 next) {
        this.field = field;
        this.next = next;
        small = (byte) field;
    }

    static int loops(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            switch (i % 4) {
                case 0: sum += i; break;
                case 1: sum ^= i << 2; break;
                case 2: sum -= i; break;
                default: sum *= 3;
            }
        }
        switch (sum) {
            case 100000: return 1;
            case -5: return 2;
            case 77777777: return 3;
            default: return sum;
        }
    }

    static long wides(long a, double d, float f) {
        long r = a * 31 + (long) d;
        r ^= (r >>> 7) + (int) f;
        double x = r / 3.0;
        return x > 10 ? (long) x : Math.abs(r);
    }

    static String text(Object o, int[] a, String... more) {
        String s = "v" + o + a.length + more.length;
        for (String m : more) s += m.charAt(0);
        return s;
    }

    static int objects() {
        M000000 head = null;
        for (int i = 0; i < 5; i++) head = new M000000(i, head);
        int s = 0;
        for (M000000 at = head; at != null; at = at.next) s += at.field + at.small + (int) at.wide;
        int[][] grid = new int[3][4];
        grid[1][2] = s;
        Object[] objects = {head, "x", grid};
        long[] longs = {1, 2, 3};
        boolean[] flags = new boolean[2];
        flags[1] = objects[1] instanceof String;
        char[] chars = "hello".toCharArray();
        return grid[1][2] + (int) longs[2] + (flags[1] ? 1 : 0) + chars[1];
    }

    synchronized int locked(int n) {
        synchronized (this) {
            try {
                if (n == 0) throw new IllegalStateException("zero");
                return 10 / n;
            } catch (ArithmeticException e) {
                return -1;
            } finally {
                count++;
            }
        }
    }

    static int lists() {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < 4; i++) list.add(i * i);
        int s = 0;
        for (int x : list) s += x;
        Runnable r = () -> count += list.size();
        r.run();
        return s + count;
    }

    public static void main(String[] args) {
        System.out.println(loops(20) + " " + wides(START, 2.5, 1.5f) + " " + objects() + " " + lists());
        System.out.println(text(args, new int[2], "a", "b"));
        try {
            System.out.println(new M000000(1, null).locked(3));
            new M000000(2, null).locked(0);
        } catch (RuntimeException e) {
            System.out.println(e.getMessage() + count);
        }
    }
}
