// Prime sieves over boolean, int and byte arrays; prints one checksum.
public class Sieve {
    static int booleans(int n) {
        boolean[] composite = new boolean[n + 1];
        int count = 0;
        for (int i = 2; i <= n; i++) {
            if (composite[i]) continue;
            count++;
            if ((long) i * i > n) continue;
            for (int j = i * i; j <= n; j += i) composite[j] = true;
        }
        return count;
    }

    static long smallestFactors(int n) {
        int[] spf = new int[n + 1];
        for (int i = 2; i <= n; i++) {
            if (spf[i] != 0) continue;
            for (int j = i; j <= n; j += i) {
                if (spf[j] == 0) spf[j] = i;
            }
        }
        long sum = 0;
        for (int i = 2; i <= n; i++) sum += (long) spf[i] * (i & 7);
        return sum;
    }

    static int bits(int n) {
        byte[] map = new byte[n / 8 + 1];
        int count = 0;
        for (int i = 2; i <= n; i++) {
            if ((map[i >> 3] & (1 << (i & 7))) != 0) continue;
            count++;
            for (long j = (long) i * i; j <= n; j += i) {
                int k = (int) j;
                map[k >> 3] |= (byte) (1 << (k & 7));
            }
        }
        return count;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 38;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            int n = 200_000 + round * 1000;
            check = check * 31 + booleans(n);
            check = check * 31 + smallestFactors(n);
            check = check * 31 + bits(n);
        }
        System.out.println("sieve " + check);
    }
}
