/** Two transfers at once. Each takes the lock of the account that pays, then that of the one that is paid. */
public class Bank {
    static class Account {
        int balance = 100;

        void pay(Account other, int amount) {
            synchronized (this) {
                synchronized (other) {
                    balance -= amount;
                    other.balance += amount;
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Account a = new Account(), b = new Account();
        Thread clerk = new Thread(() -> a.pay(b, 30), "clerk");
        clerk.start();
        b.pay(a, 50);
        clerk.join();
        assert a.balance == 120 && b.balance == 80 : "money was lost";
    }
}
