import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The information system of a company that sells items from several warehouses. Each warehouse has a stock and a district with its
 * orders and customers. Clients sit at terminals, one at each warehouse, and do transactions: they enter an order, take a payment,
 * ask for the state of an order, deliver what was ordered, or look which items are running short.
 *
 * After "Simple JBB", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field
 * Accesses" (2014), written from what is said of it there: databases such as orders and stock, transactions upon them, two threads
 * for clients.
 *
 * Shared by all terminals: the items and the lines of orders, which never change; each stock entry, each district with its orders,
 * each customer, the money of each warehouse and the company's history, each under its own monitor. An order takes its second item
 * from the first warehouse, and a payment is by a customer of the next one, so terminals meet. No thread has two of these monitors
 * at once.
 *
 * Arguments: the number of warehouses (2), of transactions at each terminal (3), and of items (2).
 */
public class SimpleJbb {
    /** What can be bought. Never changes. */
    record Item(int number, String name, int price) {
    }

    /** How much of an item a warehouse has. */
    static class Stock {
        private static final int LOW = 10;
        private static final int DELIVERY = 91;

        private final Item item;
        private int quantity;
        private int sold;
        private int orders;

        Stock(Item item, int quantity) {
            this.item = item;
            this.quantity = quantity;
        }

        Item item() {
            return item;
        }

        /** Takes some of it, and has it filled up before it runs out. */
        synchronized void take(int count) {
            quantity -= count;
            if (quantity < LOW) {
                quantity += DELIVERY;
            }
            sold += count;
            orders++;
            assert quantity > 0 : "sold what was not there";
        }

        synchronized boolean isBelow(int threshold) {
            return quantity < threshold;
        }

        synchronized int sold() {
            return sold;
        }

        synchronized int orders() {
            return orders;
        }
    }

    /** A line of an order. Never changes. */
    record OrderLine(Item item, int supplier, int quantity) {
        int amount() {
            return item.price() * quantity;
        }
    }

    /** An order. Its lines never change; who carries it is written under the monitor of its district. */
    static class Order {
        private static final int NOBODY = -1;

        private final int number;
        private final Customer customer;
        private final List<OrderLine> lines;
        private int carrier = NOBODY;

        Order(int number, Customer customer, List<OrderLine> lines) {
            this.number = number;
            this.customer = customer;
            this.lines = lines;
        }

        int number() {
            return number;
        }

        Customer customer() {
            return customer;
        }

        int total() {
            int total = 0;
            for (OrderLine line : lines) {
                total += line.amount();
            }
            return total;
        }
    }

    /** Somebody who buys. What he owes is accessed under his monitor. */
    static class Customer {
        private final String name;
        private int balance;
        private int payments;

        Customer(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        synchronized void owe(int amount) {
            balance += amount;
        }

        synchronized void pay(int amount) {
            balance -= amount;
            payments++;
        }

        synchronized int balance() {
            return balance;
        }

        synchronized int payments() {
            return payments;
        }
    }

    /** The orders of a warehouse. All of its fields are accessed under its monitor. */
    static class District {
        private final Map<Integer, Order> orders = new TreeMap<>();
        private final Map<Customer, Order> latest = new HashMap<>();
        private final Deque<Order> undelivered = new ArrayDeque<>();
        private int nextOrder = 1;

        synchronized Order enter(Customer customer, List<OrderLine> lines) {
            Order order = new Order(nextOrder, customer, lines);
            nextOrder++;
            orders.put(order.number(), order);
            latest.put(customer, order);
            undelivered.add(order);
            return order;
        }

        /** The latest order of a customer; null if there is none. */
        synchronized Order latest(Customer customer) {
            return latest.get(customer);
        }

        synchronized boolean isDelivered(Order order) {
            return order.carrier != Order.NOBODY;
        }

        /** Sends the oldest order that waits; null if there is none. */
        synchronized Order deliver(int carrier) {
            Order order = undelivered.poll();
            if (order != null) {
                assert order.carrier == Order.NOBODY : "delivered twice";
                order.carrier = carrier;
            }
            return order;
        }

        synchronized List<Order> orders() {
            return new ArrayList<>(orders.values());
        }

        synchronized int undelivered() {
            return undelivered.size();
        }
    }

    /** A warehouse. Its maps are filled before the terminals begin; the money is accessed under its monitor. */
    static class Warehouse {
        private final int number;
        private final District district = new District();
        private final Map<Integer, Stock> stock = new HashMap<>();
        private final List<Customer> customers = new ArrayList<>();
        private int income;

        Warehouse(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        District district() {
            return district;
        }

        void add(Stock entry) {
            stock.put(entry.item().number(), entry);
        }

        void add(Customer customer) {
            customers.add(customer);
        }

        Stock stock(Item item) {
            return stock.get(item.number());
        }

        Customer customer(int index) {
            return customers.get(index);
        }

        synchronized void receive(int amount) {
            income += amount;
        }

        synchronized int income() {
            return income;
        }
    }

    /** A payment that was made. Never changes. */
    record History(Customer customer, int warehouse, int amount) {
    }

    /** All there is. The lists are filled before the terminals begin, but for the history. */
    static class Company {
        private final List<Item> items = new ArrayList<>();
        private final List<Warehouse> warehouses = new ArrayList<>();
        private final List<History> history = new ArrayList<>();

        Company(int warehouses, int items) {
            for (int i = 0; i < items; i++) {
                this.items.add(new Item(i, "item " + i, 10 * (i + 1)));
            }
            for (int i = 0; i < warehouses; i++) {
                Warehouse warehouse = new Warehouse(i);
                for (Item item : this.items) {
                    warehouse.add(new Stock(item, 12));
                }
                warehouse.add(new Customer("customer of " + i));
                this.warehouses.add(warehouse);
            }
        }

        List<Item> items() {
            return items;
        }

        List<Warehouse> warehouses() {
            return warehouses;
        }

        Warehouse next(Warehouse warehouse) {
            return warehouses.get((warehouse.number() + 1) % warehouses.size());
        }

        synchronized void remember(History payment) {
            history.add(payment);
        }

        synchronized List<History> history() {
            return new ArrayList<>(history);
        }
    }

    /** Something that a client does. Each object is used once, by one terminal. */
    abstract static class Transaction {
        final Company company;
        final Warehouse home;

        Transaction(Company company, Warehouse home) {
            this.company = company;
            this.home = home;
        }

        abstract void process();
    }

    /** Enters an order of two items. The second one comes from the first warehouse, wherever it was ordered. */
    static class NewOrder extends Transaction {
        NewOrder(Company company, Warehouse home) {
            super(company, home);
        }

        @Override
        void process() {
            List<OrderLine> lines = new ArrayList<>();
            for (int i = 0; i < Math.min(2, company.items().size()); i++) {
                Warehouse supplier = i == 0 ? home : company.warehouses().get(0);
                OrderLine line = new OrderLine(company.items().get(i), supplier.number(), i + 1);
                supplier.stock(line.item()).take(line.quantity());
                lines.add(line);
            }
            home.district().enter(home.customer(0), lines);
        }
    }

    /** A customer of the next warehouse pays here. */
    static class Payment extends Transaction {
        private static final int AMOUNT = 25;

        Payment(Company company, Warehouse home) {
            super(company, home);
        }

        @Override
        void process() {
            Customer customer = company.next(home).customer(0);
            home.receive(AMOUNT);
            customer.pay(AMOUNT);
            company.remember(new History(customer, home.number(), AMOUNT));
        }
    }

    /** Asks for the latest order of a customer. */
    static class OrderStatus extends Transaction {
        OrderStatus(Company company, Warehouse home) {
            super(company, home);
        }

        @Override
        void process() {
            District district = company.next(home).district();
            Customer customer = company.next(home).customer(0);
            Order order = district.latest(customer);
            if (order != null) {
                boolean wasDelivered = district.isDelivered(order);
                assert order.customer() == customer && order.total() > 0 : "another one's order";
                assert !wasDelivered || district.isDelivered(order) : "delivered, and then not";
            }
        }
    }

    /** Delivers an order; the customer has to pay for it from then on. */
    static class Delivery extends Transaction {
        Delivery(Company company, Warehouse home) {
            super(company, home);
        }

        @Override
        void process() {
            for (Warehouse warehouse : company.warehouses()) {
                Order order = warehouse.district().deliver(home.number());
                if (order != null) {
                    order.customer().owe(order.total());
                    return;
                }
            }
        }
    }

    /** Counts the items that are running short. */
    static class StockLevel extends Transaction {
        StockLevel(Company company, Warehouse home) {
            super(company, home);
        }

        @Override
        void process() {
            int low = 0;
            for (Item item : company.items()) {
                if (home.stock(item).isBelow(12)) {
                    low++;
                }
            }
            assert low <= company.items().size() : "more than there are";
        }
    }

    /** A client at his terminal. */
    static class Terminal implements Runnable {
        private final Company company;
        private final Warehouse home;
        private final int transactions;

        Terminal(Company company, Warehouse home, int transactions) {
            this.company = company;
            this.home = home;
            this.transactions = transactions;
        }

        private Transaction transaction(int number) {
            return switch ((number + home.number()) % 5) {
                case 0 -> new Payment(company, home);
                case 1 -> new NewOrder(company, home);
                case 2 -> new Delivery(company, home);
                case 3 -> new OrderStatus(company, home);
                default -> new StockLevel(company, home);
            };
        }

        @Override
        public void run() {
            for (int i = 0; i < transactions; i++) {
                transaction(i).process();
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    /** Compares what different databases say. For one who is alone. */
    private static void verify(Company company) {
        int sold = 0;
        int stockOrders = 0;
        int lines = 0;
        int ordered = 0;
        int income = 0;
        int owed = 0;
        int payments = 0;
        for (Warehouse warehouse : company.warehouses()) {
            income += warehouse.income();
            owed += warehouse.customer(0).balance();
            payments += warehouse.customer(0).payments();
            for (Item item : company.items()) {
                sold += warehouse.stock(item).sold();
                stockOrders += warehouse.stock(item).orders();
            }
            int waiting = 0;
            int number = 1;
            for (Order order : warehouse.district().orders()) {
                assert order.number() == number : "a number is missing, or there twice";
                number++;
                for (OrderLine line : order.lines) {
                    lines++;
                    ordered += line.quantity();
                }
                if (warehouse.district().isDelivered(order)) {
                    owed -= order.total();
                } else {
                    waiting++;
                }
            }
            assert waiting == warehouse.district().undelivered() : "an order is lost";
        }
        int paid = 0;
        for (History payment : company.history()) {
            paid += payment.amount();
        }
        assert sold == ordered && stockOrders == lines : "stock and orders disagree";
        assert income == paid && payments == company.history().size() : "a payment is lost";
        assert owed == -paid : "customers and payments disagree";
    }

    public static void main(String[] args) throws InterruptedException {
        Company company = new Company(argument(args, 0, 2), argument(args, 2, 2));
        int transactions = argument(args, 1, 3);
        List<Thread> terminals = new ArrayList<>();
        for (Warehouse warehouse : company.warehouses()) {
            Terminal terminal = new Terminal(company, warehouse, transactions);
            terminals.add(new Thread(terminal, "terminal " + warehouse.number()));
        }
        for (Thread terminal : terminals) {
            terminal.start();
        }
        for (Thread terminal : terminals) {
            terminal.join();
        }
        verify(company);
        System.out.println(terminals.size() * transactions + " transactions");
    }
}
