// Exceptions: thrown at different depths, rethrown, through finally, with and without stack traces. One checksum.
public class Exceptions {
    static class Checked extends Exception {
        final int code;
        Checked(int code) { super("code " + code); this.code = code; }
    }
    static class Light extends RuntimeException {
        final int code;
        Light(int code) { super(null, null, false, false); this.code = code; }
    }
    static int cleanups;

    static int dive(int depth, int code) throws Checked {
        if (depth == 0) throw new Checked(code);
        return dive(depth - 1, code) + 1;
    }

    static int diveFinally(int depth, int code) {
        try {
            if (depth == 0) throw new Light(code);
            return diveFinally(depth - 1, code);
        } finally {
            cleanups++;
        }
    }

    static int rethrow(int depth, int code) {
        try {
            if (depth == 0) throw new IllegalStateException("s" + code);
            return rethrow(depth - 1, code);
        } catch (IllegalStateException e) {
            if (depth % 3 == 0) throw new IllegalStateException("wrapped", e);
            throw e;
        }
    }

    static int natural(int i) {
        int[] a = new int[4];
        try {
            switch (i % 4) {
                case 0: return a[4 + i % 3];
                case 1: return 7 / (i % 4 - 1);
                case 2: return ((Object[]) (Object) new String[] {"x"}).length + ((String) pick(i)).length();
                default: return ((String) null).length();
            }
        } catch (ArrayIndexOutOfBoundsException | ArithmeticException e) {
            return e instanceof ArithmeticException ? 30 : 40;
        } catch (ClassCastException e) {
            return 100;
        } catch (NullPointerException e) {
            return 200;
        }
    }

    static Object pick(int i) { return i % 8 == 2 ? "text" : Integer.valueOf(i); }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 850;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 40; i++) {
                try {
                    check += dive(i, i);
                } catch (Checked e) {
                    check = check * 31 + e.code;
                    if (i % 8 == 0) check += e.getStackTrace().length + e.getMessage().length();
                }
                try {
                    diveFinally(i, i);
                } catch (Light e) {
                    check = check * 31 + e.code;
                }
                try {
                    rethrow(i % 12, i);
                } catch (IllegalStateException e) {
                    int n = 0;
                    for (Throwable t = e; t != null; t = t.getCause()) n++;
                    check = check * 7 + n;
                }
                check = check * 3 + natural(i);
            }
        }
        System.out.println("exceptions " + check + " " + cleanups);
    }
}
