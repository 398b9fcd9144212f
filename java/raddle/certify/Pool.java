package raddle.certify;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool with so many workers, and a task that was handed to it, which looks whether the pool is shut down and its thread interrupted. */
public class Pool {
    private final ThreadPoolExecutor pool;
    private final AtomicInteger done = new AtomicInteger();
    private final Future<Integer> first;

    public Pool(int workers) {
        pool = new ThreadPoolExecutor(workers, workers, 0, TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>());
        first = pool.submit(this::look);
    }

    private int look() {
        int seen = done.incrementAndGet();
        if (pool.isShutdown()) {
            seen += 10;
        }
        if (Thread.currentThread().isInterrupted()) {
            seen += 20;
        }
        return seen;
    }

    public void execute() {
        pool.execute(done::incrementAndGet);
    }

    public int submitAndGet() throws InterruptedException, ExecutionException {
        return pool.submit(done::incrementAndGet).get();
    }

    public int get() throws InterruptedException, ExecutionException {
        return first.get();
    }

    public boolean isDone() {
        return first.isDone();
    }

    public boolean cancel() {
        return first.cancel(true);
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

    public boolean isTerminated() {
        return pool.isTerminated();
    }
}
