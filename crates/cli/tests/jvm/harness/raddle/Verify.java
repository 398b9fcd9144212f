package raddle;

/** Keeps what is observed: the stand-in of the real one, for runs on a JVM. */
public class Verify {
    public static final java.util.Set<Integer> OBSERVED = new java.util.TreeSet<>();

    public static void observe(int value) {
        OBSERVED.add(value);
    }
}
