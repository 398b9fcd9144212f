/** Three movers, the main thread one of them, carry items between two bounded buffers, for ever. */
public class Movers {
    static final class Buffer {
        private final Object[] items;
        private int first;
        private int count;

        Buffer(int size) {
            items = new Object[size];
        }

        synchronized void put(Object item) throws InterruptedException {
            while (count == items.length) {
                wait();
            }
            items[(first + count) % items.length] = item;
            count++;
            notifyAll();
        }

        synchronized Object take() throws InterruptedException {
            while (count == 0) {
                wait();
            }
            Object item = items[first];
            items[first] = null;
            first = (first + 1) % items.length;
            count--;
            notifyAll();
            return item;
        }
    }

    static final class Mover extends Thread {
        private final Buffer from;
        private final Buffer to;

        Mover(Buffer from, Buffer to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    to.put(from.take());
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int size = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        int items = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        Buffer one = new Buffer(size);
        Buffer two = new Buffer(size);
        for (int i = 0; i < items; i++) {
            one.put(new Object());
        }
        new Mover(one, two).start();
        new Mover(one, two).start();
        new Mover(two, one).run();
    }
}
