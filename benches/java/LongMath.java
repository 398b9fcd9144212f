// 64 bit integer arithmetic: generators, modular powers, gcd, bit tricks; prints one checksum.
public class LongMath {
    static long lcg(long seed, int n) {
        long h = 0;
        for (int i = 0; i < n; i++) {
            seed = seed * 6364136223846793005L + 1442695040888963407L;
            long x = seed;
            x ^= x >>> 33;
            x *= 0xff51afd7ed558ccdL;
            x ^= x >>> 29;
            h += x;
        }
        return h;
    }

    static long modpow(long b, long e, long m) {
        long r = 1;
        b %= m;
        while (e > 0) {
            if ((e & 1) == 1) r = r * b % m;
            b = b * b % m;
            e >>= 1;
        }
        return r;
    }

    static long gcd(long a, long b) {
        while (b != 0) {
            long t = a % b;
            a = b;
            b = t;
        }
        return a;
    }

    static long bits(long v, int n) {
        long h = 0;
        for (int i = 0; i < n; i++) {
            v = v << 13 ^ v;
            v = v >>> 7 ^ v;
            v = v << 17 ^ v;
            int c = 0;
            for (long w = v; w != 0; w &= w - 1) c++;
            h += c + Long.numberOfTrailingZeros(v) - Long.bitCount(~v);
            h = Long.rotateLeft(h, 5) ^ (v < 0 ? -v : v) / 3;
        }
        return h;
    }

    static long collatz(int n) {
        long steps = 0;
        for (int i = 1; i < n; i++) {
            long x = i;
            while (x != 1) {
                x = (x & 1) == 0 ? x / 2 : 3 * x + 1;
                steps++;
            }
        }
        return steps;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 330;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            check = check * 31 + lcg(round, 20_000);
            for (int i = 1; i < 300; i++) check = check * 31 + modpow(i + round, 1_000_000_005L, 1_000_000_007L);
            for (int i = 1; i < 1000; i++) check += gcd(i * 7919L * 104729L, 1_000_000_007L * (i + 3));
            check = check * 31 + bits(round + 1, 1500);
            check = check * 31 + collatz(800);
        }
        System.out.println("longs " + check);
    }
}
