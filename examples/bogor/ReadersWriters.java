/**
 * Readers and writers of a shared pair of numbers, admitted by a policy with specific notification: whoever has to wait does so on
 * an object of its own, and whoever leaves chooses whom to let in and notifies exactly those. Whether writers or readers are
 * preferred is decided by the policy's class.
 *
 * After "Readers Writers", section 8 of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking Information in
 * Partial-Order Reductions for Concurrent Object-Oriented Programs" (2004), and the patterns of Lea, "Concurrent Programming in
 * Java", that it names. Five threads with the main thread: two readers, two writers. About a dozen objects.
 *
 * Arguments: {@code readers} to prefer readers (writers are preferred otherwise), and the number of rounds of each thread (1).
 */
public class ReadersWriters {
    /** Somebody who waits to be let in. */
    static class Waiter {
        private boolean admitted;
        Waiter next;

        synchronized void admit() {
            admitted = true;
            notify();
        }

        synchronized void await() throws InterruptedException {
            while (!admitted) {
                wait();
            }
        }
    }

    /** Waiters, the one who came first at the front. Guarded by the policy that owns it. */
    static class Line {
        private Waiter front;
        private Waiter back;

        boolean isEmpty() {
            return front == null;
        }

        void join(Waiter waiter) {
            if (front == null) {
                front = waiter;
            } else {
                back.next = waiter;
            }
            back = waiter;
        }

        Waiter leave() {
            Waiter first = front;
            front = first.next;
            first.next = null;
            if (front == null) {
                back = null;
            }
            return first;
        }
    }

    /** Who may come in. */
    abstract static class Policy {
        protected final Line readers = new Line();
        protected final Line writers = new Line();
        protected int reading;
        protected int writing;

        /** Whether a reader may come in now. */
        protected abstract boolean admitsReader();

        /** Whether a writer may come in now. */
        protected abstract boolean admitsWriter();

        /** Lets in whom the policy prefers, after somebody has left. */
        protected abstract void admitNext();

        void beginReading() throws InterruptedException {
            Waiter waiter;
            synchronized (this) {
                if (admitsReader()) {
                    reading++;
                    return;
                }
                waiter = new Waiter();
                readers.join(waiter);
            }
            waiter.await();
        }

        void beginWriting() throws InterruptedException {
            Waiter waiter;
            synchronized (this) {
                if (admitsWriter()) {
                    writing++;
                    return;
                }
                waiter = new Waiter();
                writers.join(waiter);
            }
            waiter.await();
        }

        synchronized void endReading() {
            reading--;
            admitNext();
        }

        synchronized void endWriting() {
            writing--;
            admitNext();
        }

        protected void admitReaders() {
            while (!readers.isEmpty()) {
                reading++;
                readers.leave().admit();
            }
        }

        protected void admitWriter() {
            writing++;
            writers.leave().admit();
        }
    }

    /** No reader comes in while a writer waits. */
    static class WritersFirst extends Policy {
        @Override
        protected boolean admitsReader() {
            return writing == 0 && writers.isEmpty();
        }

        @Override
        protected boolean admitsWriter() {
            return writing == 0 && reading == 0;
        }

        @Override
        protected void admitNext() {
            if (!writers.isEmpty()) {
                if (admitsWriter()) {
                    admitWriter();
                }
            } else if (writing == 0) {
                admitReaders();
            }
        }
    }

    /** No writer comes in while a reader waits. */
    static class ReadersFirst extends Policy {
        @Override
        protected boolean admitsReader() {
            return writing == 0;
        }

        @Override
        protected boolean admitsWriter() {
            return writing == 0 && reading == 0 && readers.isEmpty();
        }

        @Override
        protected void admitNext() {
            if (writing > 0) {
                return;
            }
            if (!readers.isEmpty()) {
                admitReaders();
            } else if (reading == 0 && !writers.isEmpty()) {
                admitWriter();
            }
        }
    }

    /** Two numbers that are the same whenever nobody writes. */
    static class Pair {
        private int one;
        private int two;

        void change() {
            one = 1 - one;
            two = 1 - two;
        }

        boolean matches() {
            return one == two;
        }
    }

    static class Reader extends Thread {
        private final Policy policy;
        private final Pair pair;
        private final int rounds;

        Reader(Policy policy, Pair pair, int rounds) {
            this.policy = policy;
            this.pair = pair;
            this.rounds = rounds;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < rounds; i++) {
                    policy.beginReading();
                    assert pair.matches() : "a reader sees half of a change";
                    policy.endReading();
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    static class Writer extends Thread {
        private final Policy policy;
        private final Pair pair;
        private final int rounds;

        Writer(Policy policy, Pair pair, int rounds) {
            this.policy = policy;
            this.pair = pair;
            this.rounds = rounds;
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < rounds; i++) {
                    policy.beginWriting();
                    pair.change();
                    policy.endWriting();
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    public static void main(String[] args) {
        boolean readersFirst = args.length > 0 && args[0].equals("readers");
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 1;
        Policy policy = readersFirst ? new ReadersFirst() : new WritersFirst();
        Pair pair = new Pair();
        for (int i = 0; i < 2; i++) {
            new Reader(policy, pair, rounds).start();
            new Writer(policy, pair, rounds).start();
        }
    }
}
