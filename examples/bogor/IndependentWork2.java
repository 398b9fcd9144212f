/**
 * As {@link IndependentWork1}, but each list is built in the constructor of its worker, and so by the main thread: two threads touch it,
 * one after the other, and at no time can both reach it.
 *
 * After "Independent Work (version 2)", Figure 2(b) of Dwyer, Hatcliff, Robby and Ranganath, "Exploiting Object Escape and Locking
 * Information in Partial-Order Reductions for Concurrent Object-Oriented Programs" (2004).
 *
 * Arguments: the number of threads (2) and the length of each list (5).
 */
public class IndependentWork2 {
    static class Node {
        int value;
        Node next;

        Node(Node next) {
            this.next = next;
        }
    }

    static class Worker extends Thread {
        private Node list;

        Worker(int length) {
            for (int i = 0; i < length; i++) {
                list = new Node(list);
            }
        }

        @Override
        public void run() {
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
