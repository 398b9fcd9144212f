package raddle;

import java.util.concurrent.ThreadLocalRandom;

/**
 * What a program can say to Raddle. Under plain {@code java} the choices are random and everything else does nothing, so
 * a program that uses this class still runs anywhere. Under {@code raddle check} every choice is explored.
 */
public final class Verify {
    private Verify() {
    }

    /** A number from 0 to n - 1: each of them is tried. */
    public static int choose(int n) {
        return ThreadLocalRandom.current().nextInt(n);
    }

    /** False and true: both are tried. */
    public static boolean chooseBoolean() {
        return ThreadLocalRandom.current().nextBoolean();
    }

    /** Executions in which the condition is false here are forgotten. */
    public static void assume(boolean condition) {
    }

    /** Executions in which the condition is true here are forgotten. */
    public static void ignoreIf(boolean condition) {
    }

    /** From here to {@link #endAtomic} no other thread moves, unless this one would have to wait for it. */
    public static void beginAtomic() {
    }

    /** Ends what {@link #beginAtomic} began. */
    public static void endAtomic() {
    }

    /** The check fails if no execution at all comes here. */
    public static void assertReachable(String what) {
    }

    /** The report lists every value that is given here in any execution. */
    public static void observe(int value) {
    }
}
