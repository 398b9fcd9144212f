/**
 * Threads that have nothing to do with each other: each builds a list in {@code run} and adds one to every node of it. The main
 * thread starts them and ends; it neither joins them nor keeps them.
 *
 * After "Independent Work (version 1)", Figure 2(a) of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking
 * Information in Partial-Order Reductions for Concurrent Object-Oriented Programs" (2004).
 *
 * Arguments: the number of threads (2) and the length of each list (5).
 */
public class IndependentWork1 {
    static class Node {
        int value;
        Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    static class Worker extends Thread {
        private final int length;

        Worker(int length) {
            this.length = length;
        }

        @Override
        public void run() {
            Node list = null;
            for (int i = 0; i < length; i++) {
                list = new Node(list);
            }
            for (Node node = list; node != null; node = node.next) {
                node.value++;
            }
        }
    }

    public static void main(String[] args) {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
        int length = args.length > 1 ? Integer.parseInt(args[1]) : 5;
        for (int i = 0; i < threads; i++) {
            new Worker(length).start();
        }
    }
}
