/**
 * Two tasks that wait for each other by means of two events: the first waits for event one and then signals event two, the second
 * signals event one and then waits for event two. An event counts how often it was signalled, and a task that knows how many of
 * these it has seen waits only when there is none that it has missed. The count is looked at under the event's lock, so nothing
 * is lost between looking and waiting.
 *
 * In place of "Clean", a synchronization skeleton of about 50 lines that section 11 of Stoller and Cohen, "Optimistic
 * Synchronization-Based State-Space Reduction" (2006) measures; written afresh from what is said of it there.
 *
 * Arguments: the number of rounds (3).
 */
public class Clean {
    static class Event {
        private int count;

        synchronized void signalEvent() {
            count++;
            notifyAll();
        }

        /** Waits for a signal beyond those already seen, and says how many there are by then. */
        synchronized int waitForEvent(int seen) throws InterruptedException {
            while (count == seen) {
                wait();
            }
            return count;
        }
    }

    static class Task extends Thread {
        private final Event awaited;
        private final Event signalled;
        private final boolean signalsFirst;
        private final int rounds;

        Task(Event awaited, Event signalled, boolean signalsFirst, int rounds) {
            this.awaited = awaited;
            this.signalled = signalled;
            this.signalsFirst = signalsFirst;
            this.rounds = rounds;
        }

        @Override
        public void run() {
            try {
                int seen = 0;
                for (int round = 1; round <= rounds; round++) {
                    if (signalsFirst) {
                        signalled.signalEvent();
                    }
                    seen = awaited.waitForEvent(seen);
                    assert seen == round : "the other task ran ahead";
                    if (!signalsFirst) {
                        signalled.signalEvent();
                    }
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        Event one = new Event();
        Event two = new Event();
        new Task(one, two, false, rounds).start();
        new Task(two, one, true, rounds).start();
    }
}
