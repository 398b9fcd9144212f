/**
 * A pipeline of three stages, each a thread, with a buffer for one number between each and the next: a source makes numbers, a
 * filter lets them through, a sink takes them. The filter may come across a number that it cannot bear. Then it halts, and so
 * does every other stage: a halted buffer throws an exception at whoever puts into it or takes from it, and a stage that meets
 * the exception halts its buffers on both sides in turn. When there is no such number, the source halts its buffer after the last
 * one; then what is in a buffer is taken out first. So all stages end, in any case.
 *
 * In place of "HaltException", a synchronization skeleton of about 100 lines that section 11 of Stoller and Cohen, "Optimistic
 * Synchronization-Based State-Space Reduction" (2006) measures; written afresh from what is said of it there.
 *
 * Arguments: how many numbers there are (3), and the one that the filter cannot bear (2; 0 for none).
 */
public class HaltException {
    /** Thrown at stages that are to end. */
    static class Halted extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Holds one number at a time. */
    static class Buffer {
        private int number;
        private boolean full;
        private boolean halted;

        synchronized void put(int toPut) throws Halted, InterruptedException {
            while (full && !halted) {
                wait();
            }
            if (halted) {
                throw new Halted();
            }
            number = toPut;
            full = true;
            notifyAll();
        }

        synchronized int take() throws Halted, InterruptedException {
            while (!full && !halted) {
                wait();
            }
            if (!full) {
                throw new Halted();
            }
            full = false;
            notifyAll();
            return number;
        }

        synchronized void halt() {
            halted = true;
            notifyAll();
        }
    }

    /** A stage works until it meets an exception, and then tells its neighbours. */
    abstract static class Stage extends Thread {
        protected final Buffer in;
        protected final Buffer out;

        Stage(Buffer in, Buffer out) {
            this.in = in;
            this.out = out;
        }

        protected abstract void work() throws Halted, InterruptedException;

        @Override
        public void run() {
            try {
                work();
            } catch (Halted | IllegalArgumentException | InterruptedException e) {
                // Whatever it is, it ends the pipeline.
            } finally {
                if (in != null) {
                    in.halt();
                }
                if (out != null) {
                    out.halt();
                }
            }
        }
    }

    static class Source extends Stage {
        private final int numbers;

        Source(int numbers, Buffer out) {
            super(null, out);
            this.numbers = numbers;
        }

        @Override
        protected void work() throws Halted, InterruptedException {
            for (int number = 1; number <= numbers; number++) {
                out.put(number);
            }
        }
    }

    static class Filter extends Stage {
        private final int unbearable;

        Filter(Buffer in, Buffer out, int unbearable) {
            super(in, out);
            this.unbearable = unbearable;
        }

        @Override
        protected void work() throws Halted, InterruptedException {
            while (true) {
                int number = in.take();
                if (number == unbearable) {
                    throw new IllegalArgumentException();
                }
                out.put(number);
            }
        }
    }

    static class Sink extends Stage {
        private final int expected;

        Sink(Buffer in, int expected) {
            super(in, null);
            this.expected = expected;
        }

        @Override
        protected void work() throws Halted, InterruptedException {
            int taken = 0;
            try {
                while (true) {
                    int number = in.take();
                    taken++;
                    assert number == taken : "out of order";
                }
            } finally {
                assert taken == expected : "numbers before the halt were lost";
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int numbers = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        int unbearable = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        boolean halts = unbearable >= 1 && unbearable <= numbers;
        Buffer before = new Buffer();
        Buffer after = new Buffer();
        Stage[] stages = {
            new Source(numbers, before),
            new Filter(before, after, unbearable),
            new Sink(after, halts ? unbearable - 1 : numbers),
        };
        for (Stage stage : stages) {
            stage.start();
        }
        for (Stage stage : stages) {
            stage.join();
        }
    }
}
