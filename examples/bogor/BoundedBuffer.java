/**
 * Two threads carry two objects round in a circle between two bounded buffers, for ever. Every method of the buffer is synchronized,
 * and nothing but the buffer leads to its array.
 *
 * After "Bounded Buffer", Figure 3 of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking Information in
 * Partial-Order Reductions for Concurrent Object-Oriented Programs" (2004): a ring in which {@code head} is the next free slot and
 * {@code tail} the slot before the oldest object, so that one slot of the bound is always left empty.
 */
public class BoundedBuffer {
    private final Object[] slots;
    private final int bound;
    private int head;
    private int tail;

    BoundedBuffer(int bound) {
        this.bound = bound;
        slots = new Object[bound];
        tail = bound - 1;
    }

    synchronized void add(Object item) throws InterruptedException {
        while (head == tail) {
            wait();
        }
        slots[head] = item;
        head = (head + 1) % bound;
        notifyAll();
    }

    synchronized Object take() throws InterruptedException {
        while ((tail + 1) % bound == head) {
            wait();
        }
        tail = (tail + 1) % bound;
        notifyAll();
        return slots[tail];
    }

    static class Carrier extends Thread {
        private final BoundedBuffer from;
        private final BoundedBuffer to;

        Carrier(BoundedBuffer from, BoundedBuffer to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    to.add(from.take());
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        BoundedBuffer one = new BoundedBuffer(3);
        BoundedBuffer two = new BoundedBuffer(3);
        one.add(new Object());
        one.add(new Object());
        new Carrier(one, two).start();
        new Carrier(two, one).start();
    }
}
