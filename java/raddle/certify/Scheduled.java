package raddle.certify;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool with tasks that are due later. */
public class Scheduled {
    private final ScheduledThreadPoolExecutor pool;
    private final AtomicInteger done = new AtomicInteger();
    private final ScheduledFuture<Integer> first;

    public Scheduled(int workers) {
        pool = new ScheduledThreadPoolExecutor(workers);
        first = pool.schedule(done::incrementAndGet, 5, TimeUnit.MILLISECONDS);
    }

    public int scheduleAndGet() throws InterruptedException, ExecutionException {
        return pool.schedule(done::incrementAndGet, 1, TimeUnit.MILLISECONDS).get();
    }

    public int get() throws InterruptedException, ExecutionException {
        return first.get();
    }

    public boolean cancel() {
        return first.cancel(false);
    }

    public int done() {
        return done.get();
    }

    public void shutdown() {
        pool.shutdown();
    }

    public int shutdownNow() {
        return pool.shutdownNow().size();
    }
}
