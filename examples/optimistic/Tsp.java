import java.util.ArrayList;
import java.util.List;

/**
 * The travelling salesman problem, solved by branch and bound with several workers. Partial tours from the first city wait in a
 * priority queue, the one with the least lower bound in front. A worker takes a tour from it: a tour that cannot become better
 * than the best one known is dropped, a tour with few cities left is completed in all ways, and any other is continued by one
 * city in all ways, and what comes out is put into the queue. The work is over when the queue is empty and nobody works who might
 * fill it.
 *
 * The tours in the queue are made once and used again: they lie in a pool while nobody needs them. Workers copy what they take
 * into a tour of their own, so that what is in the queue and the pool is never used without the queue's lock. The best tour has a
 * lock of its own. All else is read only, or belongs to one worker.
 *
 * In place of "TSP", a program of about 600 lines that section 11 of Stoller and Cohen, "Optimistic Synchronization-Based
 * State-Space Reduction" (2006) measures on a map of four cities; written afresh from what is said of it there.
 *
 * Arguments: the number of workers (2), the number of the map (0; 1 has five cities), how many cities may be left when a tour is
 * completed by one worker (2), and the number of tours in the pool (4).
 */
public class Tsp {
    /** The maps: the number of cities, and the distances from each city to those before it. */
    private static final String[] MAPS = {
        "4   "
            + "6   "
            + "4 3   "
            + "5 9 2",
        "5   "
            + "4   "
            + "3 4   "
            + "9 4 4   "
            + "2 2 5 5",
    };

    /** The lengths of the shortest tours on these maps. */
    private static final int[] SHORTEST = {16, 15};

    /** Reads numbers, one after the other, with blanks between them. */
    static class Scanner {
        private final String text;
        private int at;

        Scanner(String text) {
            this.text = text;
        }

        private void skipBlanks() {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
        }

        boolean isAtEnd() {
            skipBlanks();
            return at == text.length();
        }

        int next() {
            skipBlanks();
            int number = 0;
            int digits = 0;
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                number = 10 * number + text.charAt(at) - '0';
                at++;
                digits++;
            }
            if (digits == 0) {
                throw new IllegalArgumentException("a number is missing");
            }
            return number;
        }
    }

    /** Cities and their distances. Read only. */
    static class CityMap {
        private final int cities;
        private final int[][] distances;

        private CityMap(int cities) {
            this.cities = cities;
            distances = new int[cities][cities];
        }

        static CityMap read(String text) {
            Scanner scanner = new Scanner(text);
            CityMap map = new CityMap(scanner.next());
            for (int i = 1; i < map.cities; i++) {
                for (int j = 0; j < i; j++) {
                    int distance = scanner.next();
                    map.distances[i][j] = distance;
                    map.distances[j][i] = distance;
                }
            }
            if (!scanner.isAtEnd()) {
                throw new IllegalArgumentException("too many numbers");
            }
            return map;
        }

        int cities() {
            return cities;
        }

        int distance(int from, int to) {
            return distances[from][to];
        }
    }

    /** A tour, or the beginning of one. It belongs to one worker, or to the queue. */
    static class Tour {
        private final int[] cities;
        private int count;
        private int visited;
        private int length;
        private int bound;

        Tour(int cities) {
            this.cities = new int[cities];
        }

        /** Makes this the tour that is in one city, and has been nowhere else. */
        void begin(int city) {
            count = 1;
            cities[0] = city;
            visited = 1 << city;
            length = 0;
            bound = 0;
        }

        void copyFrom(Tour other) {
            for (int i = 0; i < cities.length; i++) {
                cities[i] = other.cities[i];
            }
            count = other.count;
            visited = other.visited;
            length = other.length;
            bound = other.bound;
        }

        /** Forgets all, so that an unused tour looks like any other. */
        void clear() {
            for (int i = 0; i < cities.length; i++) {
                cities[i] = 0;
            }
            count = 0;
            visited = 0;
            length = 0;
            bound = 0;
        }

        int first() {
            return cities[0];
        }

        int last() {
            return cities[count - 1];
        }

        boolean hasVisited(int city) {
            return (visited & 1 << city) != 0;
        }

        int left() {
            return cities.length - count;
        }

        int length() {
            return length;
        }

        int bound() {
            return bound;
        }

        void setBound(int bound) {
            this.bound = bound;
        }

        void append(int city, CityMap map) {
            assert !hasVisited(city) : "twice in one city";
            length += map.distance(last(), city);
            cities[count] = city;
            count++;
            visited |= 1 << city;
        }

        void removeLast(CityMap map) {
            int city = last();
            visited &= ~(1 << city);
            count--;
            cities[count] = 0;
            length -= map.distance(last(), city);
        }

        /** The length of a tour through all cities and back. */
        int closedLength(CityMap map) {
            assert left() == 0 : "cities were left out";
            return length + map.distance(last(), first());
        }

        /** Whether this one goes before another: the more promising first, and then the one that has come further. */
        boolean isBefore(Tour other) {
            if (bound != other.bound) {
                return bound < other.bound;
            }
            return count > other.count;
        }

        void copyCities(int[] to) {
            for (int i = 0; i < cities.length; i++) {
                to[i] = cities[i];
            }
        }
    }

    /**
     * What a tour must at least become: its length and that of a least spanning tree of its last city, the cities that are left,
     * and the first city. Every worker has one of these, for the sake of its arrays.
     */
    static class LowerBound {
        private static final int FAR = 1_000_000;

        private final CityMap map;
        private final int[] toTree;
        private final boolean[] outside;

        LowerBound(CityMap map) {
            this.map = map;
            toTree = new int[map.cities()];
            outside = new boolean[map.cities()];
        }

        int of(Tour tour) {
            int remaining = 0;
            for (int city = 0; city < map.cities(); city++) {
                outside[city] = !tour.hasVisited(city) || city == tour.first();
                toTree[city] = FAR;
                if (outside[city]) {
                    remaining++;
                }
            }
            int bound = tour.length();
            int added = tour.last();
            if (outside[added]) {
                // The tour is still in its first city.
                outside[added] = false;
                remaining--;
            }
            while (remaining > 0) {
                shorten(added);
                added = nearest();
                bound += toTree[added];
                outside[added] = false;
                remaining--;
            }
            return bound;
        }

        /** Takes into account that a city is in the tree now. */
        private void shorten(int added) {
            for (int city = 0; city < toTree.length; city++) {
                if (outside[city] && map.distance(added, city) < toTree[city]) {
                    toTree[city] = map.distance(added, city);
                }
            }
        }

        /** The city outside that is nearest to the tree. */
        private int nearest() {
            int nearest = -1;
            for (int city = 0; city < toTree.length; city++) {
                if (outside[city] && (nearest == -1 || toTree[city] < toTree[nearest])) {
                    nearest = city;
                }
            }
            return nearest;
        }
    }

    /** Tours that nobody needs at the moment. */
    static class Pool {
        private final Tour[] free;
        private final int size;
        private int count;

        Pool(int size, int cities) {
            this.size = size;
            free = new Tour[size];
            for (int i = 0; i < size; i++) {
                free[i] = new Tour(cities);
            }
            count = size;
        }

        /** A tour to use; null if all are in use. */
        synchronized Tour take() {
            if (count == 0) {
                return null;
            }
            count--;
            Tour tour = free[count];
            free[count] = null;
            return tour;
        }

        synchronized void giveBack(Tour tour) {
            assert count < size : "given back twice";
            free[count] = tour;
            count++;
        }

        synchronized boolean isFull() {
            return count == size;
        }
    }

    /** The partial tours that wait for a worker, as a heap, and how many workers are at work. */
    static class TourQueue {
        private final Pool pool;
        private final Tour[] heap;
        private int count;
        private int working;

        TourQueue(Pool pool, int size) {
            this.pool = pool;
            heap = new Tour[size];
        }

        /** Puts a copy of a tour in. Says no if there is no place for it. */
        synchronized boolean put(Tour tour) {
            Tour copy = pool.take();
            if (copy == null) {
                return false;
            }
            copy.copyFrom(tour);
            heap[count] = copy;
            count++;
            rise(count - 1);
            notifyAll();
            return true;
        }

        /** Waits for a tour and copies it. Says no when the work is over. */
        synchronized boolean take(Tour into) throws InterruptedException {
            while (count == 0 && working > 0) {
                wait();
            }
            if (count == 0) {
                return false;
            }
            Tour front = heap[0];
            count--;
            heap[0] = heap[count];
            heap[count] = null;
            if (count > 0) {
                sink(0);
            }
            into.copyFrom(front);
            front.clear();
            pool.giveBack(front);
            working++;
            return true;
        }

        /** A worker has finished with what it took. */
        synchronized void done() {
            working--;
            if (working == 0 && count == 0) {
                notifyAll();
            }
        }

        synchronized boolean isOver() {
            return count == 0 && working == 0;
        }

        private void rise(int index) {
            while (index > 0) {
                int parent = (index - 1) / 2;
                if (!heap[index].isBefore(heap[parent])) {
                    return;
                }
                exchange(index, parent);
                index = parent;
            }
        }

        private void sink(int index) {
            while (2 * index + 1 < count) {
                int child = 2 * index + 1;
                if (child + 1 < count && heap[child + 1].isBefore(heap[child])) {
                    child++;
                }
                if (!heap[child].isBefore(heap[index])) {
                    return;
                }
                exchange(index, child);
                index = child;
            }
        }

        private void exchange(int one, int other) {
            Tour tour = heap[one];
            heap[one] = heap[other];
            heap[other] = tour;
        }
    }

    /** The best tour that is known. */
    static class Best {
        private final int[] cities;
        private int length;

        Best(int cities, int length) {
            this.cities = new int[cities];
            this.length = length;
        }

        synchronized int length() {
            return length;
        }

        /** Takes a tour if it is better than what is known. Of tours that are equally long, the first is kept. */
        synchronized void offer(Tour tour, int closedLength) {
            if (closedLength < length) {
                length = closedLength;
                tour.copyCities(cities);
            }
        }

        synchronized List<Integer> cities() {
            List<Integer> list = new ArrayList<>();
            for (int city : cities) {
                list.add(city);
            }
            return list;
        }
    }

    /** What the workers did, all together. */
    static class Statistics {
        private int workers;
        private int taken;

        synchronized void add(int takenByOne) {
            workers++;
            taken += takenByOne;
        }

        synchronized int workers() {
            return workers;
        }

        synchronized int taken() {
            return taken;
        }
    }

    static class Worker extends Thread {
        private final CityMap map;
        private final TourQueue queue;
        private final Best best;
        private final Statistics statistics;
        private final LowerBound lowerBound;
        private final Tour tour;
        private final int few;

        Worker(CityMap map, TourQueue queue, Best best, Statistics statistics, int few) {
            this.map = map;
            this.queue = queue;
            this.best = best;
            this.statistics = statistics;
            this.lowerBound = new LowerBound(map);
            this.tour = new Tour(map.cities());
            this.few = few;
        }

        /** Completes the tour in all ways that may be better than the best. */
        private void complete() {
            if (tour.left() == 0) {
                best.offer(tour, tour.closedLength(map));
                return;
            }
            if (lowerBound.of(tour) >= best.length()) {
                return;
            }
            for (int city = 0; city < map.cities(); city++) {
                if (!tour.hasVisited(city)) {
                    tour.append(city, map);
                    complete();
                    tour.removeLast(map);
                }
            }
        }

        /** Continues the tour by one city, in all ways that may be better than the best. */
        private void branch() {
            for (int city = 0; city < map.cities(); city++) {
                if (!tour.hasVisited(city)) {
                    tour.append(city, map);
                    tour.setBound(lowerBound.of(tour));
                    if (tour.bound() < best.length() && !queue.put(tour)) {
                        complete();
                    }
                    tour.removeLast(map);
                }
            }
        }

        @Override
        public void run() {
            int taken = 0;
            try {
                while (queue.take(tour)) {
                    taken++;
                    if (tour.bound() < best.length()) {
                        if (tour.left() <= few) {
                            complete();
                        } else {
                            branch();
                        }
                    }
                    queue.done();
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
            statistics.add(taken);
        }
    }

    /** Ways to find tours without the workers. */
    static class Sequential {
        private final CityMap map;
        private final Tour tour;

        Sequential(CityMap map) {
            this.map = map;
            this.tour = new Tour(map.cities());
        }

        /** The length of the tour that goes to the nearest city each time: something to begin with. */
        int greedy() {
            tour.begin(0);
            while (tour.left() > 0) {
                int nearest = -1;
                for (int city = 0; city < map.cities(); city++) {
                    if (!tour.hasVisited(city)
                            && (nearest == -1 || map.distance(tour.last(), city) < map.distance(tour.last(), nearest))) {
                        nearest = city;
                    }
                }
                tour.append(nearest, map);
            }
            return tour.closedLength(map);
        }

        /** The length of the shortest tour of all. */
        int shortest() {
            tour.begin(0);
            return shortestFromHere();
        }

        private int shortestFromHere() {
            if (tour.left() == 0) {
                return tour.closedLength(map);
            }
            int shortest = Integer.MAX_VALUE;
            for (int city = 0; city < map.cities(); city++) {
                if (!tour.hasVisited(city)) {
                    tour.append(city, map);
                    shortest = Math.min(shortest, shortestFromHere());
                    tour.removeLast(map);
                }
            }
            return shortest;
        }
    }

    /** Checks that a list of cities is a tour of that length. */
    private static boolean isTour(List<Integer> cities, int length, CityMap map) {
        if (cities.size() != map.cities()) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < cities.size(); i++) {
            if (!cities.contains(i)) {
                return false;
            }
            sum += map.distance(cities.get(i), cities.get((i + 1) % cities.size()));
        }
        return sum == length;
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        Worker[] workers = new Worker[argument(args, 0, 2)];
        int number = argument(args, 1, 0);
        int few = argument(args, 2, 2);
        int poolSize = argument(args, 3, 4);
        CityMap map = CityMap.read(MAPS[number]);
        Sequential sequential = new Sequential(map);
        assert sequential.shortest() == SHORTEST[number] : "the map is not what it should be";

        Pool pool = new Pool(poolSize, map.cities());
        TourQueue queue = new TourQueue(pool, poolSize);
        // One more than the tour at hand is long, so that some worker finds one that is at least as good.
        Best best = new Best(map.cities(), sequential.greedy() + 1);
        Statistics statistics = new Statistics();
        Tour beginning = new Tour(map.cities());
        beginning.begin(0);
        beginning.setBound(new LowerBound(map).of(beginning));
        boolean put = queue.put(beginning);
        assert put : "no tours in the pool";

        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(map, queue, best, statistics, few);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        assert queue.isOver() && pool.isFull() : "tours were left behind";
        assert statistics.workers() == workers.length && statistics.taken() > 0 : "somebody did not come to the end";
        assert best.length() == SHORTEST[number] : "not the shortest tour";
        assert isTour(best.cities(), best.length(), map) : "not a tour of that length";
        System.out.println("the shortest tour is " + best.length() + " long");
    }
}
