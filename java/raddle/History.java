package raddle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What each call of each thread came to, and which calls had returned before it began. {@code raddle linearize} compares
 * what programs record here. Under plain {@code java} nothing is recorded.
 *
 * <p>Each thread has a number, from 0 to 5, and each of its calls, from 0 to 7. A call is noted in one step when it begins and in one when it has ended.
 */
public final class History {
    /** The most threads, and the most calls of each. */
    private static final int THREADS = 6;
    private static final int CALLS = 8;

    /** How many calls of each thread have ended; then for each call how it is, and these numbers when it began. */
    private static final int[] words = new int[THREADS + CALLS * THREADS * (THREADS + 1)];
    /** What each call returned. */
    private static final Object[] results = new Object[CALLS * THREADS];

    private static final int RETURNED = 2;
    private static final int THREW = 3;
    private static final int INTERRUPTED = 4;
    private static final int PERMIT = 8;

    private History() {
    }

    /** Makes the class ready, before there are threads. */
    public static void open() {
    }

    /** The call is about to begin. */
    public static void begin(int thread, int call) {
        began(words, 0, THREADS, place(thread, call), THREADS + 1);
    }

    /** The call has returned this. */
    public static void end(int thread, int call, Object result) {
        ended(words, results, thread, place(thread, call), slot(thread, call), result, RETURNED);
    }

    /** The call has thrown this. */
    public static void threw(int thread, int call, Throwable thrown) {
        Object of = thrown.getClass();
        ended(words, results, thread, place(thread, call), slot(thread, call), of, THREW);
    }

    /** The call has returned this; whether the thread is interrupted, and may park without waiting, is noted, too. */
    public static void endWithFlags(int thread, int call, Object result) {
        int flags = flags();
        ended(words, results, thread, place(thread, call), slot(thread, call), result, RETURNED | flags);
    }

    /** The same for what it has thrown. */
    public static void threwWithFlags(int thread, int call, Throwable thrown) {
        Object of = thrown.getClass();
        int flags = flags();
        ended(words, results, thread, place(thread, call), slot(thread, call), of, THREW | flags);
    }

    /** Something that can be compared: what arrays and collections hold, or the object itself. */
    public static Object show(Object value) {
        if (value == null || value instanceof Number || value instanceof String || value instanceof Boolean) {
            return value;
        }
        if (value instanceof Object[]) {
            return new Content(list(Arrays.asList((Object[]) value).iterator()));
        }
        if (value instanceof int[]) {
            return new Content(Arrays.toString((int[]) value));
        }
        if (value instanceof long[]) {
            return new Content(Arrays.toString((long[]) value));
        }
        if (value instanceof byte[]) {
            return new Content(Arrays.toString((byte[]) value));
        }
        if (value instanceof boolean[]) {
            return new Content(Arrays.toString((boolean[]) value));
        }
        if (value instanceof double[]) {
            return new Content(Arrays.toString((double[]) value));
        }
        if (value instanceof char[]) {
            return new Content(Arrays.toString((char[]) value));
        }
        if (value instanceof Collection) {
            return new Content(list(((Collection<?>) value).iterator()));
        }
        if (value instanceof Map) {
            return new Content(list(((Map<?, ?>) value).entrySet().iterator()));
        }
        if (value instanceof Iterator) {
            return new Content(list((Iterator<?>) value));
        }
        if (value instanceof Map.Entry || value instanceof Optional) {
            return new Content(text(value));
        }
        return value;
    }

    private static String list(Iterator<?> elements) {
        StringBuilder text = new StringBuilder("[");
        while (elements.hasNext()) {
            text.append(text.length() > 1 ? ", " : "").append(text(elements.next()));
        }
        return text.append(']').toString();
    }

    private static String text(Object value) {
        if (value instanceof Map.Entry) {
            Map.Entry<?, ?> entry = (Map.Entry<?, ?>) value;
            return text(entry.getKey()) + "=" + text(entry.getValue());
        }
        if (value instanceof Optional) {
            Optional<?> optional = (Optional<?>) value;
            return optional.isPresent() ? "Optional[" + text(optional.get()) + "]" : "Optional.empty";
        }
        Object shown = show(value);
        if (shown instanceof Content) {
            return ((Content) shown).text;
        }
        boolean plain = value == null || value instanceof Number || value instanceof String || value instanceof Boolean
            || value instanceof Character || value instanceof Enum;
        return plain ? String.valueOf(value) : value.getClass().getName();
    }

    private static int place(int thread, int call) {
        return THREADS + slot(thread, call) * (THREADS + 1);
    }

    private static int slot(int thread, int call) {
        return call * THREADS + thread;
    }

    private static int flags() {
        Thread self = Thread.currentThread();
        return (self.isInterrupted() ? INTERRUPTED : 0) | (hasPermit(self) ? PERMIT : 0);
    }

    private static boolean hasPermit(Thread self) {
        return false;
    }

    private static void began(int[] words, int first, int threads, int place, int length) {
    }

    private static void ended(int[] words, Object[] results, int thread, int place, int slot, Object result, int how) {
    }

    /** The text of what a collection holds. */
    private static final class Content {
        final String text;

        Content(String text) {
            this.text = text;
        }
    }
}
