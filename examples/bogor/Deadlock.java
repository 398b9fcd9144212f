/**
 * Two threads take two locks, each in the other's order, and share nothing else.
 *
 * After "Deadlock", section 8 of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking Information in
 * Partial-Order Reductions for Concurrent Object-Oriented Programs" (2004).
 */
public class Deadlock {
    static class Taker extends Thread {
        private final Object first;
        private final Object second;

        Taker(Object first, Object second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public void run() {
            synchronized (first) {
                synchronized (second) {
                    // Both are held: that is all there is to do.
                }
            }
        }
    }

    public static void main(String[] args) {
        Object left = new Object();
        Object right = new Object();
        new Taker(left, right).start();
        new Taker(right, left).start();
    }
}
