import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A trading system for department stores. The inventory of each store has a stock of products, and an enterprise with several
 * stores sends products from one to another. The cash desks of a store are made of components, one for each device: a bar code
 * scanner, a cash box, a card reader, a printer, a light. They know nothing of each other and talk by events: each desk has a
 * channel, to which they publish, and which tells all who listen. A coordinator decides by the latest sales whether a desk is for
 * those who buy little and pay cash.
 *
 * After "CoCoME", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses"
 * (2014), written from what is said of it there: a product database, a line of two cash desks, two threads for clients.
 *
 * Shared by both clients: the product database, which never changes once they run; the stores' inventories, the enterprise, the
 * bank and the coordinator, each under its own monitor. No thread has two of these monitors at once.
 * The channel and the components of a desk are used by its one client alone, though {@code main} holds them, too.
 *
 * Arguments: the number of cash desks (2), of sales at each (1), and of products in a sale (2).
 */
public class CoCoME {
    interface Event {}

    record SaleStarted() implements Event {}
    record ProductScanned(int barcode) implements Event {}
    record SaleFinished() implements Event {}
    record CashPaid(int amount) implements Event {}
    record CardPaid(int card) implements Event {}
    record RunningTotal(String product, int price, int total) implements Event {}
    record SaleSucceeded(int total, int change) implements Event {}
    record PaymentRefused(int total) implements Event {}
    record ExpressMode(boolean isOn) implements Event {}

    interface Listener {
        void onEvent(Event event);
    }

    /** The channel of a cash desk: tells each listener of each event, at once and in the thread that publishes. */
    static class Channel {
        private final List<Listener> listeners = new ArrayList<>();

        void register(Listener listener) {
            listeners.add(listener);
        }

        void publish(Event event) {
            for (Listener listener : listeners) {
                listener.onEvent(event);
            }
        }
    }

    /** What a product is; written down once, and the same for all stores. */
    record Product(int barcode, String name, int purchasePrice, int salePrice) {
    }

    /** All products, by their bar code. Filled before the clients come. */
    static class ProductDatabase {
        private final Map<Integer, Product> products = new HashMap<>();

        void add(Product product) {
            products.put(product.barcode(), product);
        }

        Product find(int barcode) {
            return products.get(barcode);
        }
    }

    /** How much there is of one product in one store. Accessed under the monitor of the inventory. */
    static class StockItem {
        final Product product;
        private final int least;
        private int amount;

        StockItem(Product product, int least, int amount) {
            this.product = product;
            this.least = least;
            this.amount = amount;
        }

        boolean isLow() {
            return amount < least;
        }
    }

    /** The inventory of a store. */
    static class Inventory {
        private final ProductDatabase database;
        private final Enterprise enterprise;
        private final Map<Integer, StockItem> stock = new HashMap<>();

        Inventory(ProductDatabase database, Enterprise enterprise) {
            this.database = database;
            this.enterprise = enterprise;
        }

        synchronized void add(Product product, int least, int amount) {
            stock.put(product.barcode(), new StockItem(product, least, amount));
        }

        /** Needs no lock: products never change. */
        Product product(int barcode) {
            return database.find(barcode);
        }

        /** Books what was sold, and asks the other stores for what is low now. */
        void bookSale(List<Product> products) {
            List<Product> low = takeOut(products);
            for (Product product : low) {
                // Without the monitor: the enterprise asks other inventories, which might ask this one.
                int delivered = enterprise.deliver(this, product, 1);
                add(product, delivered);
            }
        }

        /** Takes products out of the stock. Gives those that are low now. */
        private synchronized List<Product> takeOut(List<Product> products) {
            List<Product> low = new ArrayList<>();
            for (Product product : products) {
                StockItem item = stock.get(product.barcode());
                item.amount--;
                assert item.amount >= 0 : "sold what was not there";
                if (item.isLow() && !low.contains(product)) {
                    low.add(product);
                }
            }
            return low;
        }

        private synchronized void add(Product product, int amount) {
            stock.get(product.barcode()).amount += amount;
        }

        /** Gives away some of a product, as long as enough is left. */
        synchronized int giveAway(Product product, int amount) {
            StockItem item = stock.get(product.barcode());
            int given = Math.min(amount, Math.max(0, item.amount - item.least));
            item.amount -= given;
            return given;
        }

        synchronized int total() {
            int total = 0;
            for (StockItem item : stock.values()) {
                total += item.amount;
            }
            return total;
        }
    }

    /** Knows all stores. */
    static class Enterprise {
        private final List<Inventory> stores = new ArrayList<>();
        private int deliveries;

        synchronized void add(Inventory store) {
            stores.add(store);
        }

        private synchronized List<Inventory> stores() {
            return new ArrayList<>(stores);
        }

        /** Sends a store some of a product from others. Gives how much it was. */
        int deliver(Inventory store, Product product, int amount) {
            int delivered = 0;
            for (Inventory other : stores()) {
                if (other != store && delivered < amount) {
                    delivered += other.giveAway(product, amount - delivered);
                }
            }
            synchronized (this) {
                deliveries += delivered;
            }
            return delivered;
        }

        synchronized int deliveries() {
            return deliveries;
        }
    }

    /** Where cards are debited. */
    static class Bank {
        private final Map<Integer, Integer> balances = new HashMap<>();
        private int debited;

        synchronized void open(int card, int balance) {
            balances.put(card, balance);
        }

        /** Whether there was enough on the account. */
        synchronized boolean debit(int card, int amount) {
            int balance = balances.getOrDefault(card, 0);
            if (balance < amount) {
                return false;
            }
            balances.put(card, balance - amount);
            debited += amount;
            return true;
        }

        synchronized int debited() {
            return debited;
        }
    }

    /** Decides by the latest sales of all desks which desk is for small purchases. */
    static class Coordinator {
        private static final int SMALL = 1;

        private int sales;
        private int smallSales;

        /** A sale has ended at some desk. Says whether this desk should be an express desk from now on. */
        synchronized boolean isExpressAfter(int products) {
            sales++;
            if (products <= SMALL) {
                smallSales++;
            }
            return 2 * smallSales > sales;
        }

        synchronized int sales() {
            return sales;
        }
    }

    /** Publishes what a client does with a device. */
    static class Device {
        private final Channel channel;

        Device(Channel channel) {
            this.channel = channel;
        }

        void publish(Event event) {
            channel.publish(event);
        }
    }

    static class BarcodeScanner extends Device {
        BarcodeScanner(Channel channel) {
            super(channel);
        }

        void scan(int barcode) {
            publish(new ProductScanned(barcode));
        }
    }

    /** The box with the keys that the cashier presses, and the money. */
    static class CashBox extends Device implements Listener {
        private int takings;
        private int paid;

        CashBox(Channel channel) {
            super(channel);
            channel.register(this);
        }

        void startSale() {
            publish(new SaleStarted());
        }

        void finishSale() {
            publish(new SaleFinished());
        }

        void pay(int amount) {
            paid = amount;
            publish(new CashPaid(amount));
        }

        @Override
        public void onEvent(Event event) {
            if (event instanceof SaleSucceeded sale) {
                assert sale.change() <= paid : "more change than money";
                takings += paid - sale.change();
                paid = 0;
            }
        }
    }

    /** Out of order while the desk is an express desk. */
    static class CardReader extends Device implements Listener {
        private boolean isOn = true;

        CardReader(Channel channel) {
            super(channel);
            channel.register(this);
        }

        /** Whether the reader took the card. */
        boolean swipe(int card) {
            if (!isOn) {
                return false;
            }
            publish(new CardPaid(card));
            return true;
        }

        @Override
        public void onEvent(Event event) {
            if (event instanceof ExpressMode mode) {
                isOn = !mode.isOn();
            }
        }
    }

    static class Printer implements Listener {
        private final StringBuilder receipt = new StringBuilder();
        private int receipts;

        @Override
        public void onEvent(Event event) {
            if (event instanceof SaleStarted) {
                receipt.setLength(0);
            } else if (event instanceof RunningTotal line) {
                receipt.append(line.product()).append(' ').append(line.price()).append('\n');
            } else if (event instanceof SaleSucceeded sale) {
                receipt.append("total ").append(sale.total()).append('\n');
                receipts++;
            }
        }
    }

    static class Light implements Listener {
        private boolean isGreen;

        @Override
        public void onEvent(Event event) {
            if (event instanceof ExpressMode mode) {
                isGreen = mode.isOn();
            }
        }
    }

    /** The component that knows how a sale goes. */
    static class Application implements Listener {
        private final Channel channel;
        private final Inventory inventory;
        private final Bank bank;
        private final Coordinator coordinator;
        private final List<Product> products = new ArrayList<>();
        private int total;
        private boolean isPaying;

        Application(Channel channel, Inventory inventory, Bank bank, Coordinator coordinator) {
            this.channel = channel;
            this.inventory = inventory;
            this.bank = bank;
            this.coordinator = coordinator;
            channel.register(this);
        }

        @Override
        public void onEvent(Event event) {
            if (event instanceof SaleStarted) {
                products.clear();
                total = 0;
                isPaying = false;
            } else if (event instanceof ProductScanned scanned) {
                add(inventory.product(scanned.barcode()));
            } else if (event instanceof SaleFinished) {
                isPaying = true;
            } else if (event instanceof CashPaid cash) {
                end(cash.amount() >= total, cash.amount() - total);
            } else if (event instanceof CardPaid card) {
                end(bank.debit(card.card(), total), 0);
            }
        }

        private void add(Product product) {
            assert product != null && !isPaying : "nothing to be scanned now";
            products.add(product);
            total += product.salePrice();
            channel.publish(new RunningTotal(product.name(), product.salePrice(), total));
        }

        private void end(boolean isPaid, int change) {
            assert isPaying : "paid before the end";
            if (!isPaid) {
                channel.publish(new PaymentRefused(total));
                return;
            }
            isPaying = false;
            channel.publish(new SaleSucceeded(total, change));
            inventory.bookSale(products);
            channel.publish(new ExpressMode(coordinator.isExpressAfter(products.size())));
        }
    }

    /** A cash desk with all its components. */
    static class CashDesk {
        private final Channel channel = new Channel();
        final BarcodeScanner scanner = new BarcodeScanner(channel);
        final CashBox cashBox = new CashBox(channel);
        final CardReader cardReader = new CardReader(channel);
        private final Printer printer = new Printer();
        private final Light light = new Light();

        CashDesk(Inventory inventory, Bank bank, Coordinator coordinator) {
            channel.register(printer);
            channel.register(light);
            new Application(channel, inventory, bank, coordinator);
        }
    }

    /** A client, who buys something several times at one desk. Pays cash every other time. */
    static class Client implements Runnable {
        private final int number;
        private final CashDesk desk;
        private final int sales;
        private final int size;

        Client(int number, CashDesk desk, int sales, int size) {
            this.number = number;
            this.desk = desk;
            this.sales = sales;
            this.size = size;
        }

        @Override
        public void run() {
            for (int sale = 0; sale < sales; sale++) {
                desk.cashBox.startSale();
                for (int i = 0; i < size; i++) {
                    desk.scanner.scan(i % PRODUCTS);
                }
                desk.cashBox.finishSale();
                boolean isPaid = (number + sale) % 2 == 1 && desk.cardReader.swipe(number);
                if (!isPaid) {
                    desk.cashBox.pay(1000);
                }
            }
        }
    }

    private static final int PRODUCTS = 2;

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        CashDesk[] desks = new CashDesk[argument(args, 0, 2)];
        int sales = argument(args, 1, 1);
        int size = argument(args, 2, 2);
        int sold = desks.length * sales * size;

        ProductDatabase database = new ProductDatabase();
        Enterprise enterprise = new Enterprise();
        Inventory store = new Inventory(database, enterprise);
        Inventory other = new Inventory(database, enterprise);
        enterprise.add(store);
        enterprise.add(other);
        for (int barcode = 0; barcode < PRODUCTS; barcode++) {
            Product product = new Product(barcode, "product " + barcode, 5, 10 * (barcode + 1));
            database.add(product);
            // The last sale leaves less than there should be. The other store has one to spare.
            store.add(product, 1, desks.length * sales * ((size + PRODUCTS - 1 - barcode) / PRODUCTS));
            other.add(product, 1, 2);
        }
        int before = store.total() + other.total();

        Bank bank = new Bank();
        Coordinator coordinator = new Coordinator();
        Thread[] clients = new Thread[desks.length];
        for (int i = 0; i < desks.length; i++) {
            bank.open(i, 1000);
            desks[i] = new CashDesk(store, bank, coordinator);
            clients[i] = new Thread(new Client(i, desks[i], sales, size), "client " + i);
        }
        for (Thread client : clients) {
            client.start();
        }
        for (Thread client : clients) {
            client.join();
        }

        int takings = bank.debited();
        int receipts = 0;
        for (CashDesk desk : desks) {
            takings += desk.cashBox.takings;
            receipts += desk.printer.receipts;
            assert desk.light.isGreen != desk.cardReader.isOn : "light and card reader disagree";
        }
        int price = 10 * size + 10 * (size / 2);
        assert takings == desks.length * sales * price : "money is lost";
        assert receipts == desks.length * sales && coordinator.sales() == receipts : "a sale is lost";
        assert store.total() + other.total() == before - sold : "a product is lost";
        assert enterprise.deliveries() == Math.min(size, PRODUCTS) : "not delivered, or twice";
        System.out.println(receipts + " sales, " + enterprise.deliveries() + " deliveries");
    }
}
