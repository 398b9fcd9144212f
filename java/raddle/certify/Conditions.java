package raddle.certify;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A lock with a condition, and a value behind them. */
public class Conditions {
    private final ReentrantLock lock;
    private final Condition changed;
    private int value;

    public Conditions(boolean fair) {
        lock = new ReentrantLock(fair);
        changed = lock.newCondition();
    }

    public int await() throws InterruptedException {
        lock.lock();
        try {
            changed.await();
            return value;
        } finally {
            lock.unlock();
        }
    }

    public String awaitTimed() throws InterruptedException {
        lock.lock();
        try {
            return changed.await(1, TimeUnit.MILLISECONDS) + " " + value;
        } finally {
            lock.unlock();
        }
    }

    public int awaitUninterruptibly() {
        lock.lock();
        try {
            changed.awaitUninterruptibly();
            return value;
        } finally {
            lock.unlock();
        }
    }

    public int signal() {
        lock.lock();
        try {
            changed.signal();
            return ++value;
        } finally {
            lock.unlock();
        }
    }

    public int signalAll() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            changed.signalAll();
            return ++value;
        } finally {
            lock.unlock();
        }
    }

    public String tryChange() {
        if (!lock.tryLock()) {
            return "busy";
        }
        try {
            return "" + ++value;
        } finally {
            lock.unlock();
        }
    }
}
