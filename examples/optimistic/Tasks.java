/**
 * A master makes tasks and gives them to two workers in turn, and has nothing more to do with a task that it has given away.
 *
 * After the third example of section 2 of Stoller and Cohen, "Optimistic Synchronization-Based State-Space Reduction" (2006);
 * tasks.rad is the same as a model.
 *
 * The discipline: {@code Task.number} and {@code Task.value} belong to the master until it has given the task away, and then to
 * the worker {@code w} with {@code w.task} the task; no lock is held. {@code Worker.task}, which is null while the worker is
 * idle, is protected by the worker's lock, and so is {@code Worker.over}.
 *
 * Arguments: the number of tasks (3).
 */
public class Tasks {
    static class Task {
        int number;
        int value;
    }

    static class Worker extends Thread {
        private Task task;
        private boolean over;

        /** Gives the worker a task, when it is idle. */
        synchronized void give(Task next) throws InterruptedException {
            while (task != null) {
                wait();
            }
            task = next;
            notifyAll();
        }

        /** Lets the worker end, when it has done what it was given. */
        synchronized void end() {
            over = true;
            notifyAll();
        }

        private synchronized Task await() throws InterruptedException {
            while (task == null && !over) {
                wait();
            }
            return task;
        }

        private synchronized void done() {
            task = null;
            notifyAll();
        }

        @Override
        public void run() {
            try {
                for (Task mine = await(); mine != null; mine = await()) {
                    assert mine.value == mine.number + 1 : "not as the master left it";
                    mine.value *= 2;
                    mine.value++;
                    assert mine.value == 2 * mine.number + 3 : "somebody else has the task";
                    done();
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int tasks = args.length > 0 ? Integer.parseInt(args[0]) : 3;
        Worker[] workers = {new Worker(), new Worker()};
        for (Worker worker : workers) {
            worker.start();
        }
        for (int i = 0; i < tasks; i++) {
            Task task = new Task();
            task.number = i;
            task.value = i;
            task.value++;
            workers[i % workers.length].give(task);
        }
        for (Worker worker : workers) {
            worker.end();
        }
    }
}
