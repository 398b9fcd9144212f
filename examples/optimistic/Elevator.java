import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * A discrete event simulator of the lifts in a building. A list of timed events says when somebody comes to a floor and where he
 * wants to go. Every lift is a thread: it claims a call that nobody else has claimed, goes there floor by floor, lets people in
 * and out on the way, and brings those inside to where they want to go. Calls and claims are with the floors, each of which has
 * its own lock; a set of controls, which all lifts share, knows all floors, keeps the time and knows when everybody has arrived.
 * Time is simulated: it goes on with every floor that some lift moves, and leaps to the next event when all lifts stand still.
 *
 * In place of "Elevator", a simulator of about 350 lines that section 11 of Stoller and Cohen, "Optimistic
 * Synchronization-Based State-Space Reduction" (2006) measures; written afresh from what is said of it there.
 *
 * Arguments: the number of lifts (2), and of events from the list (3, at most 4).
 */
public class Elevator {
    private static final int FLOORS = 3;

    private static final Event[] EVENTS = {
        new Event(0, 0, 2),
        new Event(1, 2, 0),
        new Event(4, 1, 2),
        new Event(5, 0, 1),
    };

    /** Somebody comes to a floor at some time, and wants to go to another. */
    record Event(int time, int from, int to) {
    }

    record Person(int number, int from, int to) {
        Direction direction() {
            return Direction.between(from, to);
        }
    }

    enum Direction {
        DOWN(-1), NONE(0), UP(1);

        private final int step;

        Direction(int step) {
            this.step = step;
        }

        static Direction between(int from, int to) {
            if (from == to) {
                return NONE;
            }
            return from < to ? UP : DOWN;
        }

        int step() {
            return step;
        }
    }

    /** A call that a lift has promised to answer. */
    record Call(int floor, Direction direction) {
    }

    /** People who wait on one floor for one direction, and the lift that comes for them. Guarded by its floor. */
    static class Queue {
        static final int NOBODY = -1;

        private final Deque<Person> people = new ArrayDeque<>();
        private int claimedBy = NOBODY;

        /** Whether somebody waits for whom no lift is coming. */
        boolean isOpen() {
            return !people.isEmpty() && claimedBy == NOBODY;
        }
    }

    /** A floor with its two buttons. */
    static class Floor {
        private final int number;
        private final Queue up = new Queue();
        private final Queue down = new Queue();
        private int arrived;

        Floor(int number) {
            this.number = number;
        }

        private Queue queue(Direction direction) {
            return direction == Direction.UP ? up : down;
        }

        /** Somebody comes, and presses the button. */
        synchronized void call(Person person) {
            assert person.from() == number : "on the wrong floor";
            queue(person.direction()).people.addLast(person);
        }

        /** Whether somebody waits to go in that direction and no lift is coming yet. */
        synchronized boolean isOpen(Direction direction) {
            return queue(direction).isOpen();
        }

        /** Promises a lift to those who wait. Says no when they are not there any more: another has taken them along. */
        synchronized boolean claim(int lift, Direction direction) {
            Queue queue = queue(direction);
            if (!queue.isOpen()) {
                return false;
            }
            queue.claimedBy = lift;
            return true;
        }

        /** Lets people into a lift that is here, unless they wait for another. */
        synchronized List<Person> board(int lift, Direction direction, int room) {
            List<Person> boarding = new ArrayList<>();
            Queue queue = queue(direction);
            if (queue.claimedBy != Queue.NOBODY && queue.claimedBy != lift) {
                return boarding;
            }
            queue.claimedBy = Queue.NOBODY;
            while (boarding.size() < room && !queue.people.isEmpty()) {
                boarding.add(queue.people.removeFirst());
            }
            return boarding;
        }

        /** Somebody gets out of a lift. */
        synchronized void arrive(Person person) {
            assert person.to() == number : "got out too soon";
            arrived++;
        }

        synchronized int arrived() {
            return arrived;
        }

        /** Whether nobody waits here. */
        synchronized boolean isQuiet() {
            return up.people.isEmpty() && down.people.isEmpty();
        }
    }

    /** What the lifts share. */
    static class Controls {
        private final Floor[] floors;
        private final int lifts;
        private final int people;
        private int time;
        private int idle;
        private int served;

        Controls(int floors, int lifts, int people) {
            this.floors = new Floor[floors];
            for (int i = 0; i < floors; i++) {
                this.floors[i] = new Floor(i);
            }
            this.lifts = lifts;
            this.people = people;
        }

        Floor floor(int number) {
            return floors[number];
        }

        /** The open call that is nearest to a floor; null if there is none. The caller has the lock. */
        private Call nearestCall(int from) {
            Call nearest = null;
            for (Floor floor : floors) {
                if (nearest != null && Math.abs(nearest.floor() - from) <= Math.abs(floor.number - from)) {
                    continue;
                }
                if (floor.isOpen(Direction.UP)) {
                    nearest = new Call(floor.number, Direction.UP);
                } else if (floor.isOpen(Direction.DOWN)) {
                    nearest = new Call(floor.number, Direction.DOWN);
                }
            }
            return nearest;
        }

        /** Claims the nearest call; null if there is none. The caller has the lock. */
        private Call claimNearest(int lift, int at) {
            Call call = nearestCall(at);
            while (call != null && !floors[call.floor()].claim(lift, call.direction())) {
                call = nearestCall(at);
            }
            return call;
        }

        /** Claims a call for a lift that has nothing to do; null when everybody has arrived. */
        synchronized Call nextCall(int lift, int at) throws InterruptedException {
            Call call = claimNearest(lift, at);
            if (call == null) {
                idle++;
                notifyAll();
                while (call == null && served < people) {
                    wait();
                    call = claimNearest(lift, at);
                }
                idle--;
            }
            return call;
        }

        /** A lift has moved by one floor. */
        synchronized void moved() {
            time++;
            notifyAll();
        }

        /** People were left behind by a lift that was full. */
        synchronized void leftBehind() {
            notifyAll();
        }

        /** People have arrived. */
        synchronized void served(int count) {
            served += count;
            assert served <= people : "somebody arrived twice";
            if (served == people) {
                notifyAll();
            }
        }

        /** Waits for a time; when nothing moves that could bring it about, it is now. */
        synchronized void awaitTime(int then) throws InterruptedException {
            while (time < then && (idle < lifts || nearestCall(0) != null)) {
                wait();
            }
            time = Math.max(time, then);
        }

        /** Somebody comes to a floor. */
        synchronized void call(Person person) {
            floors[person.from()].call(person);
            notifyAll();
        }

        synchronized boolean isOver() {
            return served == people && idle == 0;
        }
    }

    static class Lift extends Thread {
        private static final int CAPACITY = 2;

        private final int number;
        private final Controls controls;
        private final List<Person> riders = new ArrayList<>();
        private int at;
        private int target;
        private Direction wanted = Direction.NONE;

        Lift(int number, Controls controls, int at) {
            this.number = number;
            this.controls = controls;
            this.at = at;
        }

        /** Chooses where to go next: where riders want to go, if there are any, else to an open call. */
        private boolean chooseTarget() throws InterruptedException {
            if (riders.isEmpty()) {
                Call call = controls.nextCall(number, at);
                if (call == null) {
                    return false;
                }
                target = call.floor();
                wanted = call.direction();
                return true;
            }
            target = riders.get(0).to();
            for (Person rider : riders) {
                if (Math.abs(rider.to() - at) < Math.abs(target - at)) {
                    target = rider.to();
                }
            }
            wanted = riders.get(0).direction();
            return true;
        }

        private void letOut() {
            int out = 0;
            for (Iterator<Person> each = riders.iterator(); each.hasNext();) {
                Person rider = each.next();
                if (rider.to() == at) {
                    each.remove();
                    controls.floor(at).arrive(rider);
                    out++;
                }
            }
            if (out > 0) {
                controls.served(out);
            }
        }

        private void letIn() {
            int room = CAPACITY - riders.size();
            riders.addAll(controls.floor(at).board(number, wanted, room));
            if (riders.size() == CAPACITY) {
                controls.leftBehind();
            }
        }

        /** Goes to the target. On the way it stops for whoever wants to get out, and takes along who goes the same way. */
        private void travel() {
            Direction heading = Direction.between(at, target);
            while (at != target) {
                at += heading.step();
                assert at >= 0 && at < FLOORS : "through the roof";
                controls.moved();
                letOut();
                if (at != target && heading == wanted) {
                    letIn();
                }
            }
            letIn();
        }

        @Override
        public void run() {
            try {
                while (chooseTarget()) {
                    travel();
                }
                assert riders.isEmpty() : "shut in";
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        Lift[] lifts = new Lift[argument(args, 0, 2)];
        int people = argument(args, 1, 3);
        Controls controls = new Controls(FLOORS, lifts.length, people);
        for (int i = 0; i < lifts.length; i++) {
            lifts[i] = new Lift(i, controls, i % FLOORS);
            lifts[i].start();
        }
        int[] expected = new int[FLOORS];
        for (int i = 0; i < people; i++) {
            Event event = EVENTS[i];
            controls.awaitTime(event.time());
            controls.call(new Person(i, event.from(), event.to()));
            expected[event.to()]++;
        }
        for (Lift lift : lifts) {
            lift.join();
        }
        assert controls.isOver() : "ended before its time";
        for (int i = 0; i < FLOORS; i++) {
            assert controls.floor(i).isQuiet() : "somebody still waits";
            assert controls.floor(i).arrived() == expected[i] : "not where they wanted to go";
        }
        System.out.println(people + " people served");
    }
}
