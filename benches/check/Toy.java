/** Two threads count under a lock. */
public class Toy {
    static int count;

    static synchronized void add() {
        count++;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread one = new Thread(Toy::add);
        Thread two = new Thread(Toy::add);
        one.start();
        two.start();
        one.join();
        two.join();
        assert count == 2;
    }
}
