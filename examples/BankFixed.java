/** As Bank, but both transfers take the locks in the same order: the account with the smaller number first. */
public class BankFixed {
    static class Account {
        final int number;
        int balance = 100;

        Account(int number) {
            this.number = number;
        }

        void pay(Account other, int amount) {
            synchronized (number < other.number ? this : other) {
                synchronized (number < other.number ? other : this) {
                    balance -= amount;
                    other.balance += amount;
                }
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Account a = new Account(1), b = new Account(2);
        Thread clerk = new Thread(() -> a.pay(b, 30), "clerk");
        clerk.start();
        b.pay(a, 50);
        clerk.join();
        assert a.balance == 120 && b.balance == 80 : "money was lost";
    }
}
