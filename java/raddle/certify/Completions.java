package raddle.certify;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** A completable future, and others that depend on it. */
public class Completions {
    private final CompletableFuture<Integer> one = new CompletableFuture<>();
    private final CompletableFuture<Integer> other = new CompletableFuture<>();
    private final CompletableFuture<Integer> next = one.thenApply(value -> value + 1);
    private final CompletableFuture<Integer> both = one.thenCombine(other, Integer::sum);
    private final CompletableFuture<Object> any = CompletableFuture.anyOf(one, other);
    private final CompletableFuture<Integer> copy = one.copy();

    public boolean complete() {
        return one.complete(1);
    }

    public boolean completeOther() {
        return other.complete(2);
    }

    public boolean fail() {
        return one.completeExceptionally(new IllegalStateException());
    }

    public boolean cancel() {
        return one.cancel(false);
    }

    public int get() throws InterruptedException, ExecutionException {
        return one.get();
    }

    public int joinNext() {
        return next.join();
    }

    public int joinBoth() {
        return both.join();
    }

    public Object nowAny() {
        return any.getNow(0);
    }

    public String done() {
        return one.isDone() + " " + next.isDone() + " " + copy.isDone();
    }

    public String doneBackwards() {
        return copy.isDone() + " " + next.isDone() + " " + one.isDone();
    }

    public int then() {
        return one.thenApply(value -> value + 5).getNow(0);
    }
}
