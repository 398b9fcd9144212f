// Uncontended synchronisation on one thread: monitors, locks, atomics, volatile, concurrent map. One checksum.
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class Monitors {
    private int count;
    private volatile int vol;
    private static int total;
    private final Object inner = new Object();

    synchronized int inc(int n) { return count += n; }
    static synchronized void incTotal() { total++; }
    synchronized int nested(int depth) { return depth == 0 ? count : nested(depth - 1) + 1; }

    int block(int n) {
        synchronized (this) {
            synchronized (inner) {
                count ^= n;
            }
            inner.hashCode();
        }
        return count;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 400;
        Monitors m = new Monitors();
        ReentrantLock lock = new ReentrantLock();
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        AtomicInteger ai = new AtomicInteger();
        AtomicLong al = new AtomicLong(1);
        ConcurrentHashMap<Integer, Integer> map = new ConcurrentHashMap<>();
        StringBuffer buf = new StringBuffer();
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 1000; i++) {
                check += m.inc(i);
                incTotal();
                check ^= m.block(i);
                lock.lock();
                try {
                    check = check * 31 + i;
                } finally {
                    lock.unlock();
                }
                ai.incrementAndGet();
                while (!ai.compareAndSet(ai.get(), ai.get() + 2)) Thread.onSpinWait();
                al.updateAndGet(v -> v * 31 + 7);
                m.vol = m.vol + 1;
            }
            check += m.nested(20);
            for (int i = 0; i < 200; i++) {
                rw.readLock().lock();
                rw.readLock().unlock();
                if (lock.tryLock()) lock.unlock();
                map.merge(i % 50, 1, Integer::sum);
                buf.append(i % 10);
                synchronized (buf) {
                    if (buf.length() > 500) buf.setLength(0);
                }
            }
        }
        check = check * 31 + ai.get() + al.get() + m.vol + total + map.hashCode() + buf.length();
        System.out.println("monitors " + check);
    }
}
