import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs bodies in threads that begin at about the same time, and waits for them. */
public class Together {
    public interface Body {
        void run() throws Exception;
    }

    public static void run(Body... bodies) throws Exception {
        AtomicInteger missing = new AtomicInteger(bodies.length);
        Thread[] threads = new Thread[bodies.length];
        for (int i = 0; i < bodies.length; i++) {
            Body body = bodies[i];
            int delay = ThreadLocalRandom.current().nextInt(200);
            threads[i] = thread(() -> {
                missing.decrementAndGet();
                // On a busy machine the others may not come for a while.
                for (int spins = 0; missing.get() > 0; spins++) {
                    if (spins > 1000) {
                        Thread.yield();
                    }
                }
                for (int left = delay; left > 0; left--) {
                    Thread.onSpinWait();
                }
                body.run();
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    public static Thread thread(Body body) {
        return new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
