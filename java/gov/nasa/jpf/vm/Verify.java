package gov.nasa.jpf.vm;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The calls that users of Java Pathfinder have in their code. Under {@code raddle check} choices are explored, hints to the
 * search do nothing, and calls that need Java Pathfinder itself end the execution as unsupported, by their name. Under
 * plain {@code java} the choices are random.
 *
 * <p>Counters, bits and values belong to the execution: each execution begins with none. Java Pathfinder counts over all
 * executions instead.
 */
public final class Verify {
    public static final int NO_VALUE = -1;

    public static final int SEVERE = 1;
    public static final int WARNING = 2;
    public static final int INFO = 3;
    public static final int FINE = 4;
    public static final int FINER = 5;
    public static final int FINEST = 6;

    private Verify() {
    }

    // Choices.

    public static boolean getBoolean() {
        return ThreadLocalRandom.current().nextBoolean();
    }

    public static boolean getBoolean(boolean falseFirst) {
        return getBoolean();
    }

    public static boolean randomBool() {
        return getBoolean();
    }

    /** From min to max, both included. */
    public static int getInt(int min, int max) {
        return (int) ThreadLocalRandom.current().nextLong(min, max + 1L);
    }

    /** From 0 to max, max included. */
    public static int random(int max) {
        return getInt(0, max);
    }

    public static int getIntFromList(int... values) {
        return values[getInt(0, values.length - 1)];
    }

    public static long getLongFromList(long... values) {
        return values[getInt(0, values.length - 1)];
    }

    public static float getFloatFromList(float... values) {
        return values[getInt(0, values.length - 1)];
    }

    public static double getDoubleFromList(double... values) {
        return values[getInt(0, values.length - 1)];
    }

    /** The value with nBit of its lowest len bits flipped: every such set of bits is tried. */
    public static long getBitFlip(long v, int nBit, int len) {
        if (nBit < 0 || len > 64 || nBit > len) {
            throw new IllegalArgumentException(nBit + " of " + len + " bits");
        }
        long flipped = v;
        int lowest = 0;
        for (int left = nBit; left > 0; left--) {
            int bit = getInt(lowest, len - left);
            flipped ^= 1L << bit;
            lowest = bit + 1;
        }
        return flipped;
    }

    public static long getBitFlip(long v, int nBit) {
        return getBitFlip(v, nBit, 64);
    }

    public static int getBitFlip(int v, int nBit) {
        return (int) getBitFlip((long) v, nBit, 32);
    }

    public static short getBitFlip(short v, int nBit) {
        return (short) getBitFlip((long) v, nBit, 16);
    }

    public static char getBitFlip(char v, int nBit) {
        return (char) getBitFlip((long) v, nBit, 16);
    }

    public static byte getBitFlip(byte v, int nBit) {
        return (byte) getBitFlip((long) v, nBit, 8);
    }

    /** A place where other threads may move, and a choice. */
    public static int breakTransition(String reason, int min, int max) {
        return getInt(min, max);
    }

    // Assumptions, assertions, atomic blocks.

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

    // Counters, bits and values.

    /** Made when the first counter is used. One step counts, so that counting brings no race and no lock. */
    private static final class Counters {
        static final int MOST = 64;
        static final AtomicIntegerArray VALUES = new AtomicIntegerArray(MOST);

        static boolean has(int id) {
            if (id >= MOST) {
                tooMany(id);
            }
            return id >= 0;
        }
    }

    private static void tooMany(int counter) {
        throw new UnsupportedOperationException("counter " + counter + ": there are " + Counters.MOST);
    }

    public static int getCounter(int id) {
        return Counters.has(id) ? Counters.VALUES.get(id) : 0;
    }

    public static void setCounter(int id, int val) {
        if (Counters.has(id)) {
            Counters.VALUES.set(id, val);
        }
    }

    public static void resetCounter(int id) {
        setCounter(id, 0);
    }

    /** The new count. */
    public static int incrementCounter(int id) {
        return Counters.has(id) ? Counters.VALUES.incrementAndGet(id) : 0;
    }

    /** Made when the first bit or value is used; its lock guards both. */
    private static final class Kept {
        static final Map<Integer, BitSet> BITS = new HashMap<>();
        static final Map<String, Integer> VALUES = new HashMap<>();
    }

    public static void setBitInBitSet(int id, int bit, boolean value) {
        synchronized (Kept.BITS) {
            BitSet bits = Kept.BITS.get(id);
            if (bits == null) {
                bits = new BitSet();
                Kept.BITS.put(id, bits);
            }
            bits.set(bit, value);
        }
    }

    public static boolean getBitInBitSet(int id, int bit) {
        synchronized (Kept.BITS) {
            BitSet bits = Kept.BITS.get(id);
            return bits != null && bits.get(bit);
        }
    }

    public static void putValue(String key, int value) {
        synchronized (Kept.VALUES) {
            Kept.VALUES.put(key, value);
        }
    }

    /** What was put last, or {@link #NO_VALUE}. */
    public static int getValue(String key) {
        synchronized (Kept.VALUES) {
            Integer value = Kept.VALUES.get(key);
            return value == null ? NO_VALUE : value;
        }
    }

    // Questions.

    /** True under Raddle. */
    public static boolean isRunningInJPF() {
        return false;
    }

    /** True under Raddle. */
    public static boolean vmIsMatchingStates() {
        return false;
    }

    public static boolean isTraceReplay() {
        return false;
    }

    /** Whether the method that called the one that asks belongs to a class of this type. */
    public static boolean isCalledFromClass(String refClsName) {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        if (frames.length < 3) {
            return false;
        }
        try {
            return Class.forName(refClsName).isAssignableFrom(Class.forName(frames[2].getClassName()));
        } catch (ClassNotFoundException missing) {
            return false;
        }
    }

    public static long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    // Output.

    public static void print(String s) {
        System.out.print(s);
    }

    public static void print(String s, int i) {
        System.out.print(s + " : " + i);
    }

    public static void print(String s, boolean b) {
        System.out.print(s + " : " + b);
    }

    public static void print(String... args) {
        for (String s : args) {
            System.out.print(s);
        }
    }

    public static void println() {
        System.out.println();
    }

    public static void println(String s) {
        System.out.println(s);
    }

    public static void threadPrint(String s) {
        System.out.print(Thread.currentThread().getName() + ": " + s);
    }

    public static void threadPrintln(String s) {
        System.out.println(Thread.currentThread().getName() + ": " + s);
    }

    // Hints to the search and to the report, which do nothing.

    public static void addComment(String s) {
    }

    public static void atLabel(String label) {
    }

    public static void atLabel(int label) {
    }

    public static void boring(boolean cond) {
    }

    public static void interesting(boolean cond) {
    }

    public static void breakTransition(String reason) {
    }

    public static void busyWait(long duration) {
    }

    public static void instrumentPoint(String label) {
    }

    public static void instrumentPointDeep(String label) {
    }

    public static void instrumentPointDeepRecur(String label, int depth) {
    }

    public static void printPathOutput(String msg) {
    }

    public static void printPathOutput(boolean cond, String msg) {
    }

    public static void log(String loggerId, int logLevel, String msg) {
    }

    public static void log(String loggerId, int logLevel, String msg, String arg) {
    }

    public static void log(String loggerId, int logLevel, String format, Object... args) {
    }

    public static void setPeerClass(Class<?> cls) {
    }

    public static void setProperties(String... p) {
    }

    public static void setHeuristicSearchValue(int n) {
    }

    public static void resetHeuristicSearchValue() {
    }

    public static void setShared(Object o, boolean isShared) {
    }

    public static void freezeSharedness(Object o, boolean freeze) {
    }

    public static void storeTrace(String fileName, String comment) {
    }

    public static void storeTraceIf(boolean cond, String fileName, String comment) {
    }

    // Attributes follow values through Java Pathfinder's registers and fields. Nobody carries them here: to set one does
    // nothing, to ask for one is unsupported.

    public static void setFieldAttribute(Object o, String fieldName, int val) {
    }

    public static void addFieldAttribute(Object o, String fieldName, int val) {
    }

    public static void setLocalAttribute(String varName, int val) {
    }

    public static void addLocalAttribute(String varName, int val) {
    }

    public static void setElementAttribute(Object arr, int idx, int val) {
    }

    public static void addElementAttribute(Object arr, int idx, int val) {
    }

    public static void setObjectAttribute(Object o, int val) {
    }

    public static void addObjectAttribute(Object o, int val) {
    }

    public static int getFieldAttribute(Object o, String fieldName) {
        throw needsJpf();
    }

    public static int[] getFieldAttributes(Object o, String fieldName) {
        throw needsJpf();
    }

    public static int getLocalAttribute(String varName) {
        throw needsJpf();
    }

    public static int[] getLocalAttributes(String varName) {
        throw needsJpf();
    }

    public static int getElementAttribute(Object arr, int idx) {
        throw needsJpf();
    }

    public static int[] getElementAttributes(Object arr, int idx) {
        throw needsJpf();
    }

    public static int getObjectAttribute(Object o) {
        throw needsJpf();
    }

    public static int[] getObjectAttributes(Object o) {
        throw needsJpf();
    }

    // What needs Java Pathfinder itself: its configuration, its search, its heap.

    public static int getInt(String key) {
        throw needsJpf();
    }

    public static double getDouble(String key) {
        throw needsJpf();
    }

    public static Object getObject(String key) {
        throw needsJpf();
    }

    public static Object randomObject(String type) {
        throw needsJpf();
    }

    public static String getProperty(String key) {
        throw needsJpf();
    }

    public static int getHeuristicSearchValue() {
        throw needsJpf();
    }

    public static boolean isShared(Object o) {
        throw needsJpf();
    }

    public static void terminateSearch() {
        throw needsJpf();
    }

    public static void storeTraceAndTerminate(String fileName, String comment) {
        throw needsJpf();
    }

    public static void storeTraceAndTerminateIf(boolean cond, String fileName, String comment) {
        if (cond) {
            storeTraceAndTerminate(fileName, comment);
        }
    }

    public static <T> T createFromJSON(Class<T> clazz, String json) {
        throw needsJpf();
    }

    public static void writeObjectToFile(Object object, String fileName) {
        throw needsJpf();
    }

    public static <T> T readObjectFromFile(Class<T> clazz, String fileName) {
        throw needsJpf();
    }

    private static UnsupportedOperationException needsJpf() {
        return new UnsupportedOperationException("this call needs Java Pathfinder");
    }
}
