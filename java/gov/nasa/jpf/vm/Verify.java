package gov.nasa.jpf.vm;

import java.util.concurrent.ThreadLocalRandom;

/**
 * The calls that users of Java Pathfinder have in their code, with the same meaning under {@code raddle check}. Under plain
 * {@code java} the choices are random and everything else does nothing.
 */
public final class Verify {
    private Verify() {
    }

    public static boolean getBoolean() {
        return ThreadLocalRandom.current().nextBoolean();
    }

    public static boolean getBoolean(boolean falseFirst) {
        return getBoolean();
    }

    public static int getInt(int min, int max) {
        return ThreadLocalRandom.current().nextInt(min, max + 1);
    }

    public static int getIntFromList(int... values) {
        return values[ThreadLocalRandom.current().nextInt(values.length)];
    }

    /** From 0 to max, max included. */
    public static int random(int max) {
        return getInt(0, max);
    }

    public static boolean randomBool() {
        return getBoolean();
    }

    public static void ignoreIf(boolean condition) {
    }

    public static void beginAtomic() {
    }

    public static void endAtomic() {
    }

    public static void assertTrue(boolean condition) {
        if (!condition) {
            throw new AssertionError();
        }
    }

    public static void assertTrue(String message, boolean condition) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }

    public static void breakTransition(String reason) {
    }
}
