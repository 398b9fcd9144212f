/**
 * Two users take a buffer each from a pool, hand it to a driver, and know by a semaphore when they have it back: a reader has its
 * buffer filled, a writer has its own emptied.
 *
 * After the first example of section 2 of Stoller and Cohen, "Optimistic Synchronization-Based State-Space Reduction" (2006);
 * buffers.rad is the same as a model.
 *
 * The discipline: no lock protects {@code Buffer.first} and {@code Buffer.second}. A user has its buffer to itself from when it
 * takes it until it sends the request, and again after {@code done.acquire()}; in between the driver has it, from when it has
 * received the request until its {@code done.release()}. {@code Pool.next} and {@code Channel.request} are protected by the locks
 * of the pool and the channel.
 */
public class Buffers {
    static class Buffer {
        int first;
        int second;
    }

    /** Counts; who takes one that is not there waits until somebody gives it. */
    static class Semaphore {
        private int permits;

        synchronized void acquire() throws InterruptedException {
            while (permits == 0) {
                wait();
            }
            permits--;
        }

        synchronized void release() {
            permits++;
            notify();
        }
    }

    static class Pool {
        private final Buffer[] buffers = {new Buffer(), new Buffer()};
        private int next;

        synchronized Buffer take() {
            return buffers[next++];
        }
    }

    record Request(boolean read, Buffer buffer, Semaphore done) {
    }

    /** Carries one request at a time, and that in one step, as far as others can see. */
    static class Channel {
        private Request request;

        synchronized void send(Request toSend) throws InterruptedException {
            while (request != null) {
                wait();
            }
            request = toSend;
            notifyAll();
        }

        synchronized Request receive() throws InterruptedException {
            while (request == null) {
                wait();
            }
            Request received = request;
            request = null;
            notifyAll();
            return received;
        }
    }

    interface Body {
        void run() throws InterruptedException;
    }

    static void start(Body body) {
        new Thread(() -> {
            try {
                body.run();
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }).start();
    }

    static void read(Pool pool, Channel channel) throws InterruptedException {
        Buffer buffer = pool.take();
        Semaphore done = new Semaphore();
        channel.send(new Request(true, buffer, done));
        done.acquire();
        assert buffer.first == 6 && buffer.second == 7 : "read before it was there";
    }

    static void write(Pool pool, Channel channel) throws InterruptedException {
        Buffer buffer = pool.take();
        Semaphore done = new Semaphore();
        buffer.first = 1;
        buffer.second = 2;
        channel.send(new Request(false, buffer, done));
        done.acquire();
        buffer.first = 0;
        buffer.second = 0;
    }

    static void drive(Channel channel, int requests) throws InterruptedException {
        for (int i = 0; i < requests; i++) {
            Request request = channel.receive();
            Buffer buffer = request.buffer();
            if (request.read()) {
                buffer.first = 6;
                buffer.second = 7;
            } else {
                assert buffer.first == 1 && buffer.second == 2 : "written over before it was done";
            }
            request.done().release();
        }
    }

    public static void main(String[] args) {
        Pool pool = new Pool();
        Channel channel = new Channel();
        start(() -> read(pool, channel));
        start(() -> write(pool, channel));
        start(() -> drive(channel, 2));
    }
}
