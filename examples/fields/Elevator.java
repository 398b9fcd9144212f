import java.util.ArrayList;
import java.util.List;

/**
 * The lifts of a building. Each lift is a thread that does a fixed number of operations. In one operation it lets people out and
 * in, and then moves by one floor, or stays where it is if nobody wants anything of it. Another thread stands for the people, who
 * come to a floor one after the other and press a button.
 *
 * After "Elevator", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses"
 * (2014), written from what is said of it there: each lift a thread, and one more thread for the people.
 *
 * Shared by all threads: the floors, each under its own monitor, and the panel of buttons under its monitor.
 * {@code Building.arrived} is written by all lifts under the building's monitor. A lift's riders and direction are its own. Only the
 * lift writes its {@code floor}, which is volatile: the other lifts look where it is before they set off for the same call.
 *
 * Arguments: the number of lifts (2), of operations of each (2; in the paper 4), of people (1), and of floors (3).
 */
public class Elevator {
    private static final int CAPACITY = 2;

    enum Direction {
        UP(1), DOWN(-1);

        private final int step;

        Direction(int step) {
            this.step = step;
        }

        int step() {
            return step;
        }

        Direction opposite() {
            return this == UP ? DOWN : UP;
        }

        static Direction towards(int from, int to) {
            return from < to ? UP : DOWN;
        }
    }

    /** Somebody who wants to go from one floor to another. */
    record Person(int from, int to) {
        Direction direction() {
            return Direction.towards(from, to);
        }
    }

    /** Who waits on one floor, and who got out there. Accessed under its monitor. */
    static class Floor {
        private final List<Person> waiting = new ArrayList<>();
        private int arrived;

        synchronized void come(Person person) {
            waiting.add(person);
        }

        /** Moves people who go in a direction into a lift, as far as there is room. */
        synchronized void board(Direction direction, List<Person> riders) {
            for (int i = 0; i < waiting.size() && riders.size() < CAPACITY;) {
                if (waiting.get(i).direction() == direction) {
                    riders.add(waiting.remove(i));
                } else {
                    i++;
                }
            }
        }

        synchronized boolean hasWaiting() {
            return !waiting.isEmpty();
        }

        synchronized boolean hasWaiting(Direction direction) {
            for (Person person : waiting) {
                if (person.direction() == direction) {
                    return true;
                }
            }
            return false;
        }

        synchronized void arrive(Person person) {
            arrived++;
        }

        synchronized int waiting() {
            return waiting.size();
        }

        synchronized int arrived() {
            return arrived;
        }
    }

    /** The buttons: on which floors somebody has pressed one that no lift has come for. Accessed under its monitor. */
    static class Panel {
        private final boolean[] isPressed;

        Panel(int floors) {
            isPressed = new boolean[floors];
        }

        synchronized void press(int floor) {
            isPressed[floor] = true;
        }

        synchronized void clear(int floor) {
            isPressed[floor] = false;
        }

        /** The nearest floor where a button is pressed; -1 for none. */
        synchronized int nearest(int from) {
            int nearest = -1;
            for (int floor = 0; floor < isPressed.length; floor++) {
                if (isPressed[floor] && (nearest < 0 || Math.abs(floor - from) < Math.abs(nearest - from))) {
                    nearest = floor;
                }
            }
            return nearest;
        }
    }

    /** What all threads share. */
    static class Building {
        private final Floor[] floors;
        private final Panel panel;
        private final List<Lift> lifts = new ArrayList<>();
        private int arrived;

        Building(int floors) {
            this.floors = new Floor[floors];
            for (int i = 0; i < floors; i++) {
                this.floors[i] = new Floor();
            }
            panel = new Panel(floors);
        }

        /** Only before the lifts move. */
        void add(Lift lift) {
            lifts.add(lift);
        }

        int floors() {
            return floors.length;
        }

        Floor floor(int number) {
            return floors[number];
        }

        Panel panel() {
            return panel;
        }

        /** Whether another lift stands where a button is pressed, and will open its doors there. */
        boolean isServed(int floor, Lift asking) {
            for (Lift lift : lifts) {
                if (lift != asking && lift.floor == floor) {
                    return true;
                }
            }
            return false;
        }

        synchronized void arrived(int people) {
            arrived += people;
        }

        synchronized int arrived() {
            return arrived;
        }
    }

    static class Lift extends Thread {
        private final Building building;
        private final int operations;
        private final List<Person> riders = new ArrayList<>();
        private volatile int floor;
        private Direction direction;

        Lift(int number, Building building, int floor, int operations) {
            super("lift " + number);
            this.building = building;
            this.floor = floor;
            this.operations = operations;
            this.direction = floor == 0 ? Direction.UP : Direction.DOWN;
        }

        private void letOut() {
            int out = 0;
            for (int i = riders.size() - 1; i >= 0; i--) {
                if (riders.get(i).to() == floor) {
                    building.floor(floor).arrive(riders.remove(i));
                    out++;
                }
            }
            if (out > 0) {
                building.arrived(out);
            }
        }

        /** Lets people in who go the way of the lift. A lift without riders turns round for those who go the other way. */
        private void letIn() {
            Floor here = building.floor(floor);
            if (riders.isEmpty() && !here.hasWaiting(direction) && here.hasWaiting(direction.opposite())) {
                direction = direction.opposite();
            }
            here.board(direction, riders);
            // The button is cleared first: who comes in between presses it again.
            building.panel().clear(floor);
            if (here.hasWaiting()) {
                building.panel().press(floor);
            }
        }

        private void openDoors() {
            letOut();
            letIn();
            assert riders.size() <= CAPACITY : "too many people";
        }

        private void moveTowards(int target) {
            direction = Direction.towards(floor, target);
            floor += direction.step();
            assert floor >= 0 && floor < building.floors() : "through the roof";
        }

        private void operate() {
            openDoors();
            if (!riders.isEmpty()) {
                moveTowards(riders.get(0).to());
                return;
            }
            int call = building.panel().nearest(floor);
            if (call >= 0 && call != floor && !building.isServed(call, this)) {
                moveTowards(call);
            }
        }

        @Override
        public void run() {
            for (int i = 0; i < operations; i++) {
                operate();
            }
            letOut();
        }

        /** For those who have waited for the lift to end. */
        int riders() {
            return riders.size();
        }
    }

    /** The people, who come one after the other. */
    static class People extends Thread {
        private final Building building;
        private final int count;

        People(Building building, int count) {
            super("people");
            this.building = building;
            this.count = count;
        }

        @Override
        public void run() {
            for (int i = 0; i < count; i++) {
                int from = i % building.floors();
                int to = (from + building.floors() - 1) % building.floors();
                Person person = new Person(from, to);
                building.floor(from).come(person);
                building.panel().press(from);
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        Lift[] lifts = new Lift[argument(args, 0, 2)];
        int operations = argument(args, 1, 2);
        int people = argument(args, 2, 1);
        Building building = new Building(argument(args, 3, 3));
        for (int i = 0; i < lifts.length; i++) {
            int floor = i % 2 == 0 ? 0 : building.floors() - 1;
            lifts[i] = new Lift(i, building, floor, operations);
            building.add(lifts[i]);
        }
        People crowd = new People(building, people);
        crowd.start();
        for (Lift lift : lifts) {
            lift.start();
        }
        crowd.join();
        int inside = 0;
        for (Lift lift : lifts) {
            lift.join();
            inside += lift.riders();
        }
        int waiting = 0;
        int out = 0;
        for (int i = 0; i < building.floors(); i++) {
            waiting += building.floor(i).waiting();
            out += building.floor(i).arrived();
        }
        assert out == building.arrived() : "a floor and the building disagree";
        assert waiting + inside + out == people : "somebody is lost";
        System.out.println(out + " arrived");
    }
}
