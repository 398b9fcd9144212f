import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Wireless access to the internet at an airport. Who comes gets an address, for a short time, and can reach the login page and
 * nothing else. Passengers of an airline log in with their ticket, for free; frequent flyers pay with miles of their account;
 * everybody else buys an hour with a credit card. A login gives a token, and the firewall lets the address through as long as the
 * token is valid.
 *
 * After "CRE Demo", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses"
 * (2014), written from what is said of it there: modules for users and for network addresses, payment with a credit card, two
 * threads for different clients.
 *
 * Shared by both clients: the address manager, the firewall, the account database, the card centre and the register of tokens, each
 * under its own monitor; the ticket databases of the airlines, which never change. A token is known to its client, the register and
 * the firewall, and is accessed under its own monitor. The order of monitors is: register or firewall, then token.
 *
 * Arguments: the number of clients (2), of visits of each (1), of requests in a visit (1), and of addresses (2).
 */
public class CreDemo {
    /** An address of the network. Never changes. */
    record IpAddress(int number) {
    }

    /** An address that was given to a client. A transient one is taken back unless he logs in. */
    static class Lease {
        private final IpAddress address;
        private final String client;
        private boolean isPermanent;

        Lease(IpAddress address, String client) {
            this.address = address;
            this.client = client;
        }
    }

    /** Keeps the free addresses and the leases. */
    static class AddressManager {
        private final Deque<IpAddress> free = new ArrayDeque<>();
        private final Map<IpAddress, Lease> leases = new HashMap<>();

        AddressManager(int addresses) {
            for (int i = 0; i < addresses; i++) {
                free.add(new IpAddress(i));
            }
        }

        /** Gives a client an address; waits until there is one. */
        synchronized IpAddress request(String client) throws InterruptedException {
            while (free.isEmpty()) {
                wait();
            }
            IpAddress address = free.remove();
            Lease old = leases.put(address, new Lease(address, client));
            assert old == null : "two clients with one address";
            return address;
        }

        /** The client has logged in, so he may keep his address. */
        synchronized void makePermanent(IpAddress address, String client) {
            Lease lease = leases.get(address);
            assert lease != null && lease.client.equals(client) : "not the client's own address";
            lease.isPermanent = true;
        }

        /** The client has logged out, and keeps his address for a while. */
        synchronized void makeTransient(IpAddress address) {
            leases.get(address).isPermanent = false;
        }

        synchronized void release(IpAddress address) {
            Lease lease = leases.remove(address);
            assert lease != null && !lease.isPermanent : "still logged in";
            free.add(lease.address);
            notifyAll();
        }

        synchronized int free() {
            return free.size();
        }
    }

    /** The right to use the network a number of times. Accessed under its monitor, for it runs out in one thread or another. */
    static class Token {
        private final int number;
        private final String owner;
        private int requests;
        private boolean isValid = true;

        Token(int number, String owner, int requests) {
            this.number = number;
            this.owner = owner;
            this.requests = requests;
        }

        int number() {
            return number;
        }

        String owner() {
            return owner;
        }

        /** Uses the token once, if it is still valid. */
        synchronized boolean use() {
            if (!isValid) {
                return false;
            }
            requests--;
            if (requests == 0) {
                isValid = false;
            }
            return true;
        }

        synchronized void invalidate() {
            isValid = false;
        }

        synchronized boolean isValid() {
            return isValid;
        }
    }

    /** All tokens that were given out and not given back. */
    static class TokenRegister {
        private final Map<Integer, Token> tokens = new HashMap<>();
        private int next;

        synchronized Token create(String owner, int requests) {
            Token token = new Token(next, owner, requests);
            next++;
            tokens.put(token.number(), token);
            return token;
        }

        synchronized void remove(Token token) {
            token.invalidate();
            Token removed = tokens.remove(token.number());
            assert removed == token : "another one's token";
        }

        /** How many tokens are valid. */
        synchronized int valid() {
            int valid = 0;
            for (Token token : tokens.values()) {
                if (token.isValid()) {
                    valid++;
                }
            }
            return valid;
        }

        synchronized int created() {
            return next;
        }
    }

    /** Which address may pass, and with which token. */
    static class Firewall {
        private final Map<IpAddress, Token> open = new HashMap<>();
        private int passed;
        private int refused;

        synchronized void open(IpAddress address, Token token) {
            Token old = open.put(address, token);
            assert old == null : "somebody else is logged in with this address";
        }

        synchronized void close(IpAddress address) {
            open.remove(address);
        }

        /** A request from an address to the world. */
        synchronized boolean pass(IpAddress address) {
            Token token = open.get(address);
            boolean passes = token != null && token.use();
            if (passes) {
                passed++;
            } else {
                refused++;
            }
            return passes;
        }

        synchronized int passed() {
            return passed;
        }

        synchronized int refused() {
            return refused;
        }
    }

    /** A ticket for a flight. Never changes. */
    record Ticket(String airline, int number, boolean isBusiness) {
    }

    /** The tickets of one airline. Filled before the clients come. */
    static class TicketDatabase {
        private final Map<Integer, Ticket> tickets = new HashMap<>();

        void add(Ticket ticket) {
            tickets.put(ticket.number(), ticket);
        }

        boolean isValid(Ticket ticket) {
            return ticket.equals(tickets.get(ticket.number()));
        }
    }

    /** Finds the database of the airline of a ticket. Filled before the clients come. */
    static class TicketClassifier {
        private final Map<String, TicketDatabase> airlines = new HashMap<>();

        void add(String airline, TicketDatabase database) {
            airlines.put(airline, database);
        }

        boolean isValid(Ticket ticket) {
            TicketDatabase database = airlines.get(ticket.airline());
            return database != null && database.isValid(ticket);
        }
    }

    /** The account of a frequent flyer. Accessed under the monitor of the database. */
    static class Account {
        private final String password;
        private int miles;

        Account(String password, int miles) {
            this.password = password;
            this.miles = miles;
        }
    }

    /** The accounts of frequent flyers. */
    static class AccountDatabase {
        private final Map<String, Account> accounts = new HashMap<>();

        synchronized void create(String owner, String password, int miles) {
            accounts.put(owner, new Account(password, miles));
        }

        /** Takes miles from an account. False if the password is wrong, or there are too few. */
        synchronized boolean spend(String owner, String password, int miles) {
            Account account = accounts.get(owner);
            if (account == null || !account.password.equals(password) || account.miles < miles) {
                return false;
            }
            account.miles -= miles;
            return true;
        }

        synchronized int miles(String owner) {
            return accounts.get(owner).miles;
        }
    }

    record CreditCard(int number, int limit) {
    }

    /** Where credit cards are charged. */
    static class CardCenter {
        private final Map<Integer, Integer> charged = new HashMap<>();

        /** Charges a card, as far as its limit allows. */
        synchronized boolean charge(CreditCard card, int amount) {
            int sum = charged.getOrDefault(card.number(), 0) + amount;
            if (sum > card.limit()) {
                return false;
            }
            charged.put(card.number(), sum);
            return true;
        }

        synchronized int total() {
            int total = 0;
            for (int sum : charged.values()) {
                total += sum;
            }
            return total;
        }
    }

    /** The login page: finds out who somebody is, lets him pay, and opens the firewall. It has no state of its own. */
    static class Arbitrator {
        static final int PRICE = 10;
        static final int MILES = 100;

        private final AddressManager addresses;
        private final Firewall firewall;
        private final TokenRegister tokens;
        private final TicketClassifier tickets;
        private final AccountDatabase accounts;
        private final CardCenter cards;

        Arbitrator(AddressManager addresses, Firewall firewall, TokenRegister tokens, TicketClassifier tickets,
                AccountDatabase accounts, CardCenter cards) {
            this.addresses = addresses;
            this.firewall = firewall;
            this.tokens = tokens;
            this.tickets = tickets;
            this.accounts = accounts;
            this.cards = cards;
        }

        /** Null if the ticket is not valid. In business class it is good for twice as many requests. */
        Token loginWithTicket(IpAddress address, String client, Ticket ticket, int requests) {
            return tickets.isValid(ticket) ? admit(address, client, ticket.isBusiness() ? 2 * requests : requests) : null;
        }

        /** Null if the account has not enough miles. */
        Token loginWithMiles(IpAddress address, String client, String password, int requests) {
            return accounts.spend(client, password, MILES) ? admit(address, client, requests) : null;
        }

        /** Null if the card is not good for it. */
        Token loginWithCard(IpAddress address, String client, CreditCard card, int requests) {
            return cards.charge(card, PRICE) ? admit(address, client, requests) : null;
        }

        private Token admit(IpAddress address, String client, int requests) {
            Token token = tokens.create(client, requests);
            addresses.makePermanent(address, client);
            firewall.open(address, token);
            return token;
        }

        void logout(IpAddress address, Token token) {
            firewall.close(address);
            tokens.remove(token);
            addresses.makeTransient(address);
        }
    }

    /** Somebody with a device. What he pays with depends on who he is. */
    abstract static class Client extends Thread {
        private final AddressManager addresses;
        private final Firewall firewall;
        final Arbitrator arbitrator;
        private final int visits;
        private final int requests;

        Client(String name, AddressManager addresses, Firewall firewall, Arbitrator arbitrator, int visits, int requests) {
            super(name);
            this.addresses = addresses;
            this.firewall = firewall;
            this.arbitrator = arbitrator;
            this.visits = visits;
            this.requests = requests;
        }

        abstract Token login(IpAddress address, int requests);

        private void visit() throws InterruptedException {
            IpAddress address = addresses.request(getName());
            boolean passes = firewall.pass(address);
            assert !passes : "passed without a login";
            Token token = login(address, requests);
            assert token != null && token.owner().equals(getName()) : "not logged in";
            for (int i = 0; i < requests; i++) {
                passes = firewall.pass(address);
                assert passes : "paid, and was refused";
            }
            arbitrator.logout(address, token);
            assert !token.isValid() : "valid after the logout";
            addresses.release(address);
        }

        @Override
        public void run() {
            try {
                for (int i = 0; i < visits; i++) {
                    visit();
                }
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts", e);
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        Client[] clients = new Client[argument(args, 0, 2)];
        int visits = argument(args, 1, 1);
        int requests = argument(args, 2, 1);
        int pool = argument(args, 3, 2);

        AddressManager addresses = new AddressManager(pool);
        Firewall firewall = new Firewall();
        TokenRegister tokens = new TokenRegister();
        AccountDatabase accounts = new AccountDatabase();
        CardCenter cards = new CardCenter();
        TicketClassifier classifier = new TicketClassifier();
        TicketDatabase tickets = new TicketDatabase();
        classifier.add("Raddle Air", tickets);
        Ticket ticket = new Ticket("Raddle Air", 7, true);
        tickets.add(ticket);
        Arbitrator arbitrator = new Arbitrator(addresses, firewall, tokens, classifier, accounts, cards);

        int buyers = 0;
        int flyers = 0;
        for (int i = 0; i < clients.length; i++) {
            String name = "client " + i;
            if (i % 3 == 0) {
                CreditCard card = new CreditCard(i, visits * Arbitrator.PRICE);
                buyers++;
                clients[i] = new Client(name, addresses, firewall, arbitrator, visits, requests) {
                    @Override
                    Token login(IpAddress address, int requests) {
                        return arbitrator.loginWithCard(address, getName(), card, requests);
                    }
                };
            } else if (i % 3 == 1) {
                accounts.create(name, "secret", visits * Arbitrator.MILES);
                flyers++;
                clients[i] = new Client(name, addresses, firewall, arbitrator, visits, requests) {
                    @Override
                    Token login(IpAddress address, int requests) {
                        return arbitrator.loginWithMiles(address, getName(), "secret", requests);
                    }
                };
            } else {
                clients[i] = new Client(name, addresses, firewall, arbitrator, visits, requests) {
                    @Override
                    Token login(IpAddress address, int requests) {
                        return arbitrator.loginWithTicket(address, getName(), ticket, requests);
                    }
                };
            }
        }
        for (Client client : clients) {
            client.start();
        }
        for (Client client : clients) {
            client.join();
        }

        int all = clients.length * visits;
        assert addresses.free() == pool : "an address is lost";
        assert tokens.created() == all && tokens.valid() == 0 : "a token is left";
        assert firewall.passed() == all * requests && firewall.refused() == all : "not all requests were counted";
        assert cards.total() == buyers * visits * Arbitrator.PRICE : "money is lost";
        for (int i = 0, left = flyers; left > 0; i++) {
            if (i % 3 == 1) {
                assert accounts.miles("client " + i) == 0 : "miles are lost";
                left--;
            }
        }
        System.out.println(firewall.passed() + " requests passed");
    }
}
