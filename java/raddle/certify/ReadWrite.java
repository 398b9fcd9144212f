package raddle.certify;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Both locks of a read-write lock, and a condition. */
public class ReadWrite {
    private final ReentrantReadWriteLock lock;
    private final Condition written;
    private int value;

    public ReadWrite(boolean fair) {
        lock = new ReentrantReadWriteLock(fair);
        written = lock.writeLock().newCondition();
    }

    public void lockRead() {
        lock.readLock().lock();
    }

    public void unlockRead() {
        lock.readLock().unlock();
    }

    public boolean tryRead() {
        return lock.readLock().tryLock();
    }

    public void lockWrite() throws InterruptedException {
        lock.writeLock().lockInterruptibly();
    }

    public void unlockWrite() {
        lock.writeLock().unlock();
    }

    public boolean tryWrite() {
        return lock.writeLock().tryLock();
    }

    public int write() {
        lock.writeLock().lock();
        try {
            return ++value;
        } finally {
            lock.writeLock().unlock();
        }
    }

    public int read() {
        lock.readLock().lock();
        try {
            return value;
        } finally {
            lock.readLock().unlock();
        }
    }

    public String awaitWritten() throws InterruptedException {
        lock.writeLock().lock();
        try {
            return written.await(1, TimeUnit.MILLISECONDS) + " " + value;
        } finally {
            lock.writeLock().unlock();
        }
    }

    public int signalWritten() {
        lock.writeLock().lock();
        try {
            written.signalAll();
            return ++value;
        } finally {
            lock.writeLock().unlock();
        }
    }

    public int downgrade() {
        lock.writeLock().lock();
        value++;
        lock.readLock().lock();
        lock.writeLock().unlock();
        int seen = value;
        lock.readLock().unlock();
        return seen;
    }
}
