//! Programs in which a trap snaps that random programs seldom come to.

/// A program with two threads that are alike, of which the first observes something.
macro_rules! first_of_two {
    ($name:literal, $seen:literal) => {
        (
            $name,
            concat!(
                "static final java.util.concurrent.atomic.AtomicInteger order = new java.util.concurrent.atomic.AtomicInteger();
                static final Thread[] waiting = new Thread[1];
                static void work() {
                    if (order.getAndIncrement() == 0) Verify.observe(",
                $seen,
                ");
                    Verify.beginAtomic();
                    if (order.get() == 2) java.util.concurrent.locks.LockSupport.unpark(waiting[0]);
                    while (true) java.util.concurrent.locks.LockSupport.park();
                }
                static void start() {
                    Thread thread = new Thread(",
                $name,
                "::work);
                    thread.setDaemon(true);
                    thread.start();
                }
                public static void main(String[] args) {
                    Verify.beginAtomic();
                    waiting[0] = Thread.currentThread();
                    start();
                    start();
                    while (order.get() < 2) java.util.concurrent.locks.LockSupport.park();
                    Runtime.getRuntime().halt(0);
                }"
            ),
        )
    };
}

/// By name, with the members of the class.
pub const HAND_MADE: &[(&str, &str)] = &[
    (
        "Dropped",
        "static class O { int f; }
        static volatile O g;
        public static void main(String[] a) {
            new Thread(() -> { O o = new O(); synchronized (o) { g = o; o.f = 1; o.f = 2; } }).start();
            O p = g;
            g = null;
            if (p != null) Verify.observe(p.f);
        }",
    ),
    (
        "Third",
        "static class N { volatile int a; }
        static class L { N n; synchronized void set() { n.a = 1; n.a = 2; } synchronized int get() { return n.a; } }
        static void begin(Runnable body) {
            new Thread(() -> {
                body.run();
                Verify.beginAtomic();
                while (true) java.util.concurrent.locks.LockSupport.park();
            }).start();
        }
        static void begin(L l, N n) {
            begin(() -> l.set());
            begin(() -> l.get());
            begin(() -> Verify.observe(n.a));
        }
        public static void main(String[] a) {
            Verify.beginAtomic();
            L l = new L();
            l.n = new N();
            begin(l, l.n);
            Verify.endAtomic();
            Verify.beginAtomic();
            while (true) java.util.concurrent.locks.LockSupport.park();
        }",
    ),
    (
        "Round",
        "static class N { int a; }
        static volatile int x;
        public static void main(String[] a) {
            new Thread(() -> { N n = new N(); while (true) n.a = 1 - n.a; }).start();
            x = 1;
            Verify.observe(x);
        }",
    ),
    (
        "Given",
        "static class N { int a; }
        static void begin(N n) {
            new Thread(() -> {
                synchronized (n) { n.a = 1; n.a = 2; }
                Verify.beginAtomic();
                while (true) java.util.concurrent.locks.LockSupport.park();
            }).start();
            Verify.observe(n.a);
        }
        public static void main(String[] a) { begin(new N()); }",
    ),
    (
        "Timed",
        "static final Object o = new Object();
        public static void main(String[] a) throws InterruptedException {
            Verify.beginAtomic();
            new Thread(() -> { synchronized (o) { o.notify(); } }).start();
            Verify.endAtomic();
            synchronized (o) { o.wait(5); }
        }",
    ),
    (
        // Whether a class is initialised is looked at in the midst of steps.
        "Late",
        "static class N { int a; }
        static class H { static int h = 1; final int k = 2; static int get() { return h; } }
        public static void main(String[] a) {
            new Thread(() -> {
                N n = new N();
                n.a = 1; Verify.observe(H.get());
                n.a = 2; Verify.observe(new H().k + n.a);
            }).start();
            N n = new N();
            n.a = 1; H.h = 3;
        }",
    ),
    (
        "Leaked",
        "static class N { final int k; N(int k) { leak = this; this.k = k; } }
        static volatile N leak;
        public static void main(String[] a) {
            new Thread(() -> new N(1)).start();
            N n = leak;
            if (n != null) Verify.observe(n.k);
        }",
    ),
    (
        // The first choice keeps to the lock of the reader. The second does not, and leads to the same fields.
        "Merged",
        "static class O { int f; }
        static final O o = new O();
        static final Object lock = new Object();
        static volatile int go;
        static void write(O o) { o.f = 1; o.f = 2; }
        public static void main(String[] args) {
            Verify.beginAtomic();
            new Thread(() -> {
                go = 1;
                if (Verify.choose(2) == 0) synchronized (lock) { write(o); } else write(o);
                Verify.beginAtomic();
                while (true) java.util.concurrent.locks.LockSupport.park();
            }).start();
            Verify.endAtomic();
            if (go == 1) synchronized (lock) {
                Verify.beginAtomic();
                Verify.observe(o.f);
                Runtime.getRuntime().halt(0);
            }
            Verify.beginAtomic();
            Runtime.getRuntime().halt(0);
        }",
    ),
    (
        "Creator",
        "static class O { volatile int f; }
        static volatile O g;
        static final Object lock = new Object();
        public static void main(String[] args) {
            Verify.beginAtomic();
            new Thread(() -> {
                O o = new O();
                g = o;
                o.f = 1;
                o.f = 2;
                Verify.beginAtomic();
                while (true) java.util.concurrent.locks.LockSupport.park();
            }).start();
            Verify.endAtomic();
            O o = g;
            if (o != null) synchronized (lock) { Verify.observe(o.f); }
            Verify.beginAtomic();
            Runtime.getRuntime().halt(0);
        }",
    ),
    (
        // Whoever comes takes the lock, also from its owner.
        "Stolen",
        "static class L extends java.util.concurrent.locks.AbstractOwnableSynchronizer {
            void take() { setExclusiveOwnerThread(Thread.currentThread()); }
        }
        static class O { final L lock = new L(); int f; void set(int f) { lock.take(); this.f = f; } }
        static void begin(O o) {
            new Thread(() -> o.set(1)).start();
            o.set(2);
        }
        public static void main(String[] a) { begin(new O()); }",
    ),
    (
        // Whoever comes takes the lock, and gives it up before anybody sees that.
        "Brief",
        "static class L extends java.util.concurrent.locks.AbstractOwnableSynchronizer {
            void take() { setExclusiveOwnerThread(Thread.currentThread()); }
            void drop() { setExclusiveOwnerThread(null); }
        }
        static class O { final L lock = new L(); int f; void set(int f) { lock.take(); this.f = f; lock.drop(); } }
        static void begin(O o) {
            new Thread(() -> o.set(1)).start();
            o.set(2);
        }
        public static void main(String[] a) { begin(new O()); }",
    ),
    (
        // The same with a lock that everybody knows, in whole steps.
        "Misused",
        "static class L extends java.util.concurrent.locks.AbstractQueuedSynchronizer {
            void take() { setExclusiveOwnerThread(Thread.currentThread()); }
            void drop() { setExclusiveOwnerThread(null); }
        }
        static final L l = new L();
        static int i;
        static void set() { l.take(); i = 1; l.drop(); }
        public static void main(String[] a) { new Thread(Misused::set).start(); new Thread(Misused::set).start(); }",
    ),
    (
        // The owner hands the lock to a thread that does not wait for it.
        "Handed",
        "static class L extends java.util.concurrent.locks.AbstractOwnableSynchronizer {
            void give(Thread to) { setExclusiveOwnerThread(to); }
        }
        static class O { int f, g; }
        static void begin(O o, L lock) {
            Thread t = new Thread(() -> { o.g = 1; o.f = 2; lock.getClass(); });
            t.start();
            lock.give(Thread.currentThread());
            o.f = 1;
            lock.give(t);
        }
        public static void main(String[] a) { begin(new O(), new L()); }",
    ),
    (
        // Somebody wants to know who has the lock.
        "Asked",
        "static class L extends java.util.concurrent.locks.AbstractOwnableSynchronizer {
            void take() { setExclusiveOwnerThread(Thread.currentThread()); }
            void drop() { setExclusiveOwnerThread(null); }
            Thread owner() { return getExclusiveOwnerThread(); }
        }
        static void begin(L l) {
            new Thread(() -> { l.take(); l.drop(); }).start();
            Verify.observe(l.owner() == null ? 0 : 1);
        }
        public static void main(String[] a) { begin(new L()); }",
    ),
    (
        // Who does not have the lock changes it.
        "Turned",
        "static class S extends java.util.concurrent.locks.AbstractQueuedSynchronizer {
            void take() { setExclusiveOwnerThread(Thread.currentThread()); }
            int get() { return getState(); }
            void set(int state) { setState(state); }
        }
        static void begin(S s) {
            new Thread(() -> s.set(1)).start();
            s.take();
            Verify.observe(s.get());
        }
        public static void main(String[] a) { begin(new S()); }",
    ),
    (
        // Another thread looks at a field of a thread.
        "Fields",
        "static class T extends Thread {
            int f;
            public void run() { f = 1; f = 2; }
        }
        static void begin(T t) { t.start(); Verify.observe(t.f); }
        public static void main(String[] a) { begin(new T()); }",
    ),
    (
        // A lock as it should be.
        "Locked",
        "static int x;
        static void begin(java.util.concurrent.locks.ReentrantLock lock) {
            new Thread(() -> { lock.lock(); try { x++; } finally { lock.unlock(); } }).start();
            if (lock.tryLock()) try { x++; } finally { lock.unlock(); }
            Verify.observe(lock.isHeldByCurrentThread() ? 1 : 0);
        }
        public static void main(String[] a) { begin(new java.util.concurrent.locks.ReentrantLock()); }",
    ),
    (
        // Two threads wait until a time is up.
        "Clocks",
        "static int x;
        static void nap(Object o, int long_) {
            try { synchronized (o) { o.wait(long_); x = 2 * x + long_; } } catch (InterruptedException e) { }
        }
        static void begin(Object o) {
            new Thread(() -> nap(o, 1)).start();
            nap(o, 2);
            synchronized (o) { Verify.observe(x); }
        }
        public static void main(String[] a) { begin(new Object()); }",
    ),
    (
        // Who asks first for a hash code draws it.
        "Hashed",
        "static void begin(Object o) {
            new Thread(() -> o.hashCode()).start();
            Verify.observe(o.hashCode() & 255);
        }
        public static void main(String[] a) { begin(new Object()); }",
    ),
    (
        "Native",
        "static final byte[] bytes = new byte[1];
        public static void main(String[] args) throws java.io.IOException {
            String name = System.getProperty(\"java.home\") + \"/lib/classlist\";
            java.io.RandomAccessFile file = new java.io.RandomAccessFile(name, \"r\");
            Verify.beginAtomic();
            new Thread(() -> {
                try { file.read(bytes); } catch (java.io.IOException e) { }
                Verify.beginAtomic();
                while (true) java.util.concurrent.locks.LockSupport.park();
            }).start();
            Verify.endAtomic();
            byte[] mine = bytes;
            synchronized (mine) {
                int one = mine[0], two = mine[0];
                Verify.observe(one == two ? 0 : 1);
            }
            Verify.beginAtomic();
            Runtime.getRuntime().halt(0);
        }",
    ),
    (
        "Exit",
        "static volatile int x;
        public static void main(String[] a) {
            new Thread(() -> { x = 1; Verify.observe(x); }).start();
            Runtime.getRuntime().halt(0);
        }",
    ),
    (
        // Who is to be notified by the third thread comes back to what the second one reads.
        "Waits",
        "static class N { volatile int a; }
        static final Object o = new Object();
        static void rest() { Verify.beginAtomic(); while (true) java.util.concurrent.locks.LockSupport.park(); }
        static void wait(N n) {
            synchronized (o) { try { o.wait(); } catch (InterruptedException e) { } }
            n.a = 1;
        }
        static void begin(N n) {
            Verify.beginAtomic();
            new Thread(() -> { wait(n); rest(); }).start();
            new Thread(() -> { Verify.observe(n.a); rest(); }).start();
            new Thread(() -> { synchronized (o) { o.notify(); } rest(); }).start();
            Verify.endAtomic();
        }
        public static void main(String[] args) { begin(new N()); rest(); }",
    ),
    (
        // The first thread comes to what the second one reads as soon as the main thread lets it, and not before all stand there.
        "Chain",
        "static class N { volatile int a; }
        static final Object o = new Object();
        static volatile int ready;
        static void rest() { Verify.beginAtomic(); while (true) java.util.concurrent.locks.LockSupport.park(); }
        static void begin(N n) {
            Verify.beginAtomic();
            new Thread(() -> { Object p = o; ready = 1; synchronized (p) { n.a = 1; } rest(); }).start();
            new Thread(() -> { while (ready != 1) { } ready = 2; Verify.observe(n.a); rest(); }).start();
            Verify.endAtomic();
        }
        public static void main(String[] args) {
            synchronized (o) { begin(new N()); while (ready != 2) { } }
            rest();
        }",
    ),
    (
        // What happens at the end of the program is done on behalf of the main thread.
        "Hook",
        "static class N { volatile int a; }
        static void begin(N n) {
            Verify.beginAtomic();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> n.a = 1));
            Thread reader = new Thread(() -> {
                Verify.observe(n.a);
                Verify.beginAtomic();
                while (true) java.util.concurrent.locks.LockSupport.park();
            });
            reader.setDaemon(true);
            reader.start();
            Verify.endAtomic();
        }
        public static void main(String[] args) { begin(new N()); }",
    ),
    // Two threads that are alike but for their names, their ids, the hash codes that they draw.
    first_of_two!("Named", "Thread.currentThread().getName().charAt(7)"),
    first_of_two!("Numbered", "(int) Thread.currentThread().getId()"),
    first_of_two!("Drawn", "new Object().hashCode() & 0xff"),
];

/// Hand-made models.
pub const MODELS: &[&str] = &[
    // A thread that goes round by itself, and another that must have its turn.
    "int x; thread t { int y; loop { y = 1 - y; } } thread u { x = 1; observe x; }",
    // States that are met again on cycles, with others asleep than before: without the remainder some observations are lost.
    "volatile int x, y, z;
    thread t { loop { when z == 1: z = 0; x = 0; observe y + 2 * z; } }
    thread u { loop { y = 1 - y; } }
    thread v { loop { z = x; observe x + 2 * x; z = z; } }
    thread w { loop { z = 1 - z; } }",
];

/// Models with rules.
pub const RULED: &[(&str, &str)] = &[
    // Whoever writes v takes x from the thread before him, in the midst of what he does.
    (
        "int x; volatile int v;
        thread t { v = 0; x = 1; x = 2; }
        thread u { int y; v = 1; y = x; observe y; }",
        "protected x: v == i;",
    ),
    // Whoever gives x away by g does it where nobody looks, and u seems never to come too early.
    (
        "int x, g; volatile int v;
        thread t { v = 1; x = 1; x = 2; g = 1; }
        thread u { await v == 1; x = 5; observe x; }",
        "protected x: g == i; unshared g;",
    ),
];
