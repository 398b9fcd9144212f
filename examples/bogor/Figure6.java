/**
 * Two threads flip one bit for ever, always under the same lock. No reference leads from the lock to the bit, so the bit is not
 * dominated by what is locked. But the lock is held at every access, which is what a lockset finds.
 *
 * After Figure 6 of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking Information in Partial-Order
 * Reductions for Concurrent Object-Oriented Programs" (2004), section 6.4: the lockset discipline is not contained in domination.
 */
public class Figure6 {
    static class Bit {
        boolean set;
    }

    static class Flipper extends Thread {
        private final Object guard;
        private final Bit bit;

        Flipper(Object guard, Bit bit) {
            this.guard = guard;
            this.bit = bit;
        }

        @Override
        public void run() {
            while (true) {
                synchronized (guard) {
                    bit.set = !bit.set;
                }
            }
        }
    }

    public static void main(String[] args) {
        Object guard = new Object();
        Bit bit = new Bit();
        new Flipper(guard, bit).start();
        new Flipper(guard, bit).start();
    }
}
