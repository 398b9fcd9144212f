import java.util.Enumeration;
import java.util.Vector;

/**
 * A framework for parallel programs in which equal workers take items of work from a common pool. To work on an item gives new
 * items, results, or both. When the pool is empty and all workers are idle, the computation is over, and the coordinator hands the
 * results out. The problem solved with it here is adaptive: an interval is split in halves until each part is small enough to be
 * measured.
 *
 * After "Replicated Workers", section 8 of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking Information in
 * Partial-Order Reductions for Concurrent Object-Oriented Programs" (2004), written from what is said of it there: four threads with the
 * main thread, one {@link Vector} that they share and several that are each worker's own, with their enumerations, several locking
 * patterns, about 500 instructions and 44 objects.
 *
 * Arguments: the number of workers (3) and the length of the interval (2).
 */
public class ReplicatedWorkers {
    /** A piece of work. */
    static class Item {
        final int low;
        final int high;

        Item(int low, int high) {
            this.low = low;
            this.high = high;
        }
    }

    /** What came out of an item. */
    static class Result {
        final int low;
        final int value;

        Result(int low, int value) {
            this.low = low;
            this.value = value;
        }
    }

    /** What a user of the framework writes: what to do with one item, and with all results. */
    interface Problem {
        /** Works on one item; puts new items and results into the vectors. */
        void work(Item item, Vector<Item> items, Vector<Result> results);

        /** Takes one more result into account. */
        int combine(int sum, Result result);
    }

    /** Measures an interval by measuring parts of length one. */
    static class Measuring implements Problem {
        @Override
        public void work(Item item, Vector<Item> items, Vector<Result> results) {
            int length = item.high - item.low;
            if (length <= 1) {
                results.addElement(new Result(item.low, length));
                return;
            }
            int middle = item.low + length / 2;
            items.addElement(new Item(item.low, middle));
            items.addElement(new Item(middle, item.high));
        }

        @Override
        public int combine(int sum, Result result) {
            return sum + result.value;
        }
    }

    /** Items that wait for a worker, and who is at work. The vector has its own lock; the counts are guarded by the pool's. */
    static class Pool {
        private final Vector<Item> items = new Vector<>(4);
        private final int workers;
        private int idle;
        private boolean over;

        Pool(int workers) {
            this.workers = workers;
        }

        /** An item to work on; null when the computation is over. */
        synchronized Item take() throws InterruptedException {
            idle++;
            while (items.isEmpty() && !over) {
                if (idle == workers) {
                    // Nobody is left who could bring more.
                    over = true;
                    notifyAll();
                } else {
                    wait();
                }
            }
            if (over) {
                return null;
            }
            idle--;
            Item item = items.firstElement();
            items.removeElementAt(0);
            return item;
        }

        /** Puts all of a worker's new items in. */
        void putAll(Vector<Item> more) {
            int count = 0;
            for (Enumeration<Item> each = more.elements(); each.hasMoreElements();) {
                items.addElement(each.nextElement());
                count++;
            }
            if (count > 0) {
                synchronized (this) {
                    notifyAll();
                }
            }
        }

        /** Ends the computation before its time. */
        synchronized void stop() {
            over = true;
            notifyAll();
        }
    }

    /** Results of all workers. */
    static class Results {
        private final Problem problem;
        private int sum;
        private int count;

        Results(Problem problem) {
            this.problem = problem;
        }

        synchronized void addAll(Vector<Result> more) {
            for (Enumeration<Result> each = more.elements(); each.hasMoreElements();) {
                sum = problem.combine(sum, each.nextElement());
                count++;
            }
        }

        synchronized int sum() {
            return sum;
        }

        synchronized int count() {
            return count;
        }
    }

    /** Lets the coordinator wait until all workers are done. */
    static class Finish {
        private int left;

        Finish(int left) {
            this.left = left;
        }

        synchronized void done() {
            left--;
            if (left == 0) {
                notify();
            }
        }

        synchronized void await() throws InterruptedException {
            while (left > 0) {
                wait();
            }
        }
    }

    /** Takes items until there are no more. */
    static class Worker extends Thread {
        private final Problem problem;
        private final Pool pool;
        private final Results results;
        private final Finish finish;
        private final Vector<Item> newItems = new Vector<>(2);
        private final Vector<Result> newResults = new Vector<>(2);
        private int worked;

        Worker(Problem problem, Pool pool, Results results, Finish finish) {
            this.problem = problem;
            this.pool = pool;
            this.results = results;
            this.finish = finish;
        }

        @Override
        public void run() {
            try {
                Item item = pool.take();
                while (item != null) {
                    problem.work(item, newItems, newResults);
                    worked++;
                    if (!newItems.isEmpty()) {
                        pool.putAll(newItems);
                        newItems.removeAllElements();
                    }
                    item = pool.take();
                }
                results.addAll(newResults);
            } catch (InterruptedException e) {
                pool.stop();
            } finally {
                finish.done();
            }
        }
    }

    /** Sets the workers to work and waits for what comes out. */
    static class Coordinator {
        private final Worker[] workers;
        private final Pool pool;
        private final Results results;
        private final Finish finish;

        Coordinator(Problem problem, int count) {
            pool = new Pool(count);
            results = new Results(problem);
            finish = new Finish(count);
            workers = new Worker[count];
            for (int i = 0; i < count; i++) {
                workers[i] = new Worker(problem, pool, results, finish);
            }
        }

        int solve(Item whole) throws InterruptedException {
            Vector<Item> first = new Vector<>(1);
            first.addElement(whole);
            pool.putAll(first);
            for (Worker worker : workers) {
                worker.start();
            }
            finish.await();
            int worked = 0;
            for (Worker worker : workers) {
                worker.join();
                worked += worker.worked;
            }
            assert worked == 2 * results.count() - 1 : "an item was lost or worked on twice";
            return results.sum();
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int workers = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        int length = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        int measured = new Coordinator(new Measuring(), workers).solve(new Item(0, length));
        assert measured == length : "measured " + measured;
    }
}
