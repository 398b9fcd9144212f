package raddle.certify;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A task that looks whether it is cancelled, and then whether its thread is interrupted. */
public class Task {
    private final FutureTask<Integer> task = new FutureTask<>(this::look);
    private int seen;

    private int look() {
        seen = 1;
        if (task.isCancelled()) {
            seen += 2;
        }
        if (Thread.currentThread().isInterrupted()) {
            seen += 4;
        }
        return seen;
    }

    public int run() {
        task.run();
        return seen;
    }

    public int get() throws InterruptedException, ExecutionException {
        return task.get();
    }

    public int getSoon() throws InterruptedException, ExecutionException, TimeoutException {
        return task.get(1, TimeUnit.MILLISECONDS);
    }

    public boolean cancel() {
        return task.cancel(true);
    }

    public boolean cancelQuietly() {
        return task.cancel(false);
    }

    public boolean isDone() {
        return task.isDone();
    }

    public boolean isCancelled() {
        return task.isCancelled();
    }
}
