/**
 * Two boxes that lock themselves and two threads that pass one element to and fro between them, for ever. The element is always
 * touched under the lock of the box that it lies in: whoever else would reach it has to come through that locked box, so it is
 * dominated at every access. But no one lock is held at all accesses, so a lockset is empty soon.
 *
 * After Figure 4 of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking Information in Partial-Order
 * Reductions for Concurrent Object-Oriented Programs" (2004), section 6.4: domination is not contained in the lockset discipline.
 *
 * As in the figure, a thread takes the lock of the other box while it holds that of its own.
 */
public class Figure4 {
    static class Element {
        byte passes;
    }

    static class Box {
        private Element content;

        Box(Element content) {
            this.content = content;
        }

        synchronized void passTo(Box other) throws InterruptedException {
            while (content == null) {
                wait();
            }
            content.passes++;
            synchronized (other) {
                other.content = content;
                content = null;
                other.notify();
            }
        }
    }

    static class Passer extends Thread {
        private final Box mine;
        private final Box theirs;

        Passer(Box mine, Box theirs) {
            this.mine = mine;
            this.theirs = theirs;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    mine.passTo(theirs);
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    public static void main(String[] args) {
        Box left = new Box(new Element());
        Box right = new Box(null);
        new Passer(left, right).start();
        new Passer(right, left).start();
    }
}
