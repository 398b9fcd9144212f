package raddle.certify;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicInteger;

/** A fork-join pool with tasks that fork. */
public class Forks {
    private final ForkJoinPool pool = new ForkJoinPool(1);
    private final AtomicInteger done = new AtomicInteger();
    private final ForkJoinTask<Integer> first = pool.submit(new Sum(2));

    private final class Sum extends RecursiveTask<Integer> {
        private final int below;

        Sum(int below) {
            this.below = below;
        }

        @Override
        protected Integer compute() {
            if (below < 2) {
                done.incrementAndGet();
                return below;
            }
            Sum left = new Sum(below - 1);
            left.fork();
            return new Sum(below - 2).compute() + left.join();
        }
    }

    public int invoke() {
        return pool.invoke(new Sum(1));
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
}
