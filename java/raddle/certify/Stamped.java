package raddle.certify;

import java.util.concurrent.locks.StampedLock;

/** A value behind a stamped lock. */
public class Stamped {
    private final StampedLock lock = new StampedLock();
    private int value;

    public int write() {
        long stamp = lock.writeLock();
        try {
            return ++value;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    public void keepWrite() throws InterruptedException {
        lock.writeLockInterruptibly();
    }

    public int read() {
        long stamp = lock.tryReadLock();
        if (stamp == 0) {
            return -1;
        }
        try {
            return value;
        } finally {
            lock.unlockRead(stamp);
        }
    }

    public boolean keepRead() {
        return lock.tryReadLock() != 0;
    }

    public boolean optimistic() {
        long stamp = lock.tryOptimisticRead();
        return lock.validate(stamp);
    }

    public boolean tryWrite() {
        long stamp = lock.tryWriteLock();
        if (stamp == 0) {
            return false;
        }
        lock.unlockWrite(stamp);
        return true;
    }

    public String convert() {
        long stamp = lock.tryReadLock();
        if (stamp == 0) {
            return "not at all";
        }
        long better = lock.tryConvertToWriteLock(stamp);
        lock.unlock(better == 0 ? stamp : better);
        return better == 0 ? "shared" : "alone";
    }
}
