import java.util.ArrayList;
import java.util.List;

/**
 * Philosophers at a round table, animated, with the drawing left out. What the philosophers do, they tell a stage, which moves
 * figures about and colours them: it keeps where everything is and how it looks, frame by frame, and would draw it there. A fork
 * that is taken up wanders from the table to a hand and back again in a few frames, and in between the others may do what they
 * like. The forks are numbered, and everybody takes the lower of the two first, so nobody waits for ever.
 *
 * In place of "Xtango-DP", which the slides of Stoller and Cohen, "Optimistic Synchronization-Based State-Space Reduction" (2006)
 * measure; written afresh from what is said of it there.
 *
 * Arguments: the number of philosophers (3), how often each eats (1), and the frames for the way of a fork (2).
 */
public class XtangoDp {
    enum Colour {
        GREY, BLUE, RED, GREEN, BLACK
    }

    /** A place on the stage. */
    record Point(int x, int y) {
        Point plus(int dx, int dy) {
            return new Point(x + dx, y + dy);
        }

        /** The point that lies the given part of the way to another. */
        Point towards(Point other, int part, int whole) {
            return new Point(x + (other.x - x) * part / whole, y + (other.y - y) * part / whole);
        }
    }

    /** Where the seats and forks are: along the border of a square, clockwise, so that no sines are needed. */
    static class Layout {
        private static final int SIDE = 120;

        private final int seats;

        Layout(int seats) {
            this.seats = seats;
        }

        private static Point along(int way) {
            int side = way / SIDE % 4;
            int rest = way % SIDE;
            switch (side) {
                case 0:
                    return new Point(rest, 0);
                case 1:
                    return new Point(SIDE, rest);
                case 2:
                    return new Point(SIDE - rest, SIDE);
                default:
                    return new Point(0, SIDE - rest);
            }
        }

        Point seat(int number) {
            return along(4 * SIDE * number / seats);
        }

        /** A fork lies half way between its two philosophers, to the left of the one with its number. */
        Point fork(int number) {
            return along(4 * SIDE * number / seats + 4 * SIDE - 2 * SIDE / seats);
        }

        Point hand(int philosopher, boolean left) {
            return seat(philosopher).plus(left ? -5 : 5, 5);
        }
    }

    /** Something on the stage. Guarded by the stage. */
    abstract static class Figure {
        protected Point at;
        protected Colour colour;

        Figure(Point at, Colour colour) {
            this.at = at;
            this.colour = colour;
        }

        /** Whether the figure looks as it should when all is over. */
        abstract boolean isAtRest();
    }

    /** A philosopher, drawn as a disc that grows as he eats. */
    static class Disc extends Figure {
        private int radius = 10;
        private int hands;

        Disc(Point at) {
            super(at, Colour.GREY);
        }

        @Override
        boolean isAtRest() {
            return colour == Colour.BLUE && hands == 0;
        }
    }

    /** A fork, drawn as a line; it has its colour from who has it. */
    static class Line extends Figure {
        private final Point home;
        private int holder = -1;

        Line(Point home) {
            super(home, Colour.BLACK);
            this.home = home;
        }

        @Override
        boolean isAtRest() {
            return holder == -1 && colour == Colour.BLACK && at.equals(home);
        }
    }

    /** All that would be drawn. Every call is one frame. */
    static class Stage {
        private final Layout layout;
        private final int frames;
        private final List<Disc> discs = new ArrayList<>();
        private final List<Line> lines = new ArrayList<>();
        private int shown;

        Stage(int seats, int frames) {
            this.layout = new Layout(seats);
            this.frames = frames;
            for (int i = 0; i < seats; i++) {
                discs.add(new Disc(layout.seat(i)));
                lines.add(new Line(layout.fork(i)));
            }
        }

        private void show() {
            shown++;
        }

        private int seats() {
            return discs.size();
        }

        synchronized void think(int philosopher) {
            discs.get(philosopher).colour = Colour.BLUE;
            show();
        }

        synchronized void hunger(int philosopher) {
            discs.get(philosopher).colour = Colour.RED;
            show();
        }

        synchronized void eat(int philosopher) {
            Disc disc = discs.get(philosopher);
            Disc left = discs.get((philosopher + seats() - 1) % seats());
            Disc right = discs.get((philosopher + 1) % seats());
            assert disc.hands == 2 : "eats with his fingers";
            assert left.colour != Colour.GREEN && right.colour != Colour.GREEN : "a neighbour eats with the same fork";
            disc.colour = Colour.GREEN;
            disc.radius++;
            show();
        }

        /** Begins the way of a fork up to a hand. */
        synchronized void takeUp(int fork, int philosopher) {
            Line line = lines.get(fork);
            assert line.holder == -1 && line.at.equals(line.home) : "not on the table";
            line.holder = philosopher;
            line.colour = discs.get(philosopher).colour;
            show();
        }

        /** One frame of the way up. */
        synchronized void lift(int fork, int philosopher, int frame) {
            Line line = lines.get(fork);
            assert line.holder == philosopher : "somebody else has the fork";
            line.at = line.home.towards(layout.hand(philosopher, fork == philosopher), frame, frames);
            if (frame == frames) {
                discs.get(philosopher).hands++;
            }
            show();
        }

        /** One frame of the way down. */
        synchronized void lower(int fork, int philosopher, int frame) {
            Line line = lines.get(fork);
            assert line.holder == philosopher : "somebody else has the fork";
            if (frame == 1) {
                discs.get(philosopher).hands--;
            }
            line.at = layout.hand(philosopher, fork == philosopher).towards(line.home, frame, frames);
            show();
        }

        /** Ends the way of a fork down to the table. */
        synchronized void layDown(int fork) {
            Line line = lines.get(fork);
            line.holder = -1;
            line.colour = Colour.BLACK;
            show();
        }

        int frames() {
            return frames;
        }

        synchronized int shown() {
            return shown;
        }

        /** Whether all is over: all forks lie on the table, and all have eaten that often. */
        synchronized boolean isAtRest(int meals) {
            for (Disc disc : discs) {
                if (!disc.isAtRest() || disc.radius != 10 + meals) {
                    return false;
                }
            }
            for (Line line : lines) {
                if (!line.isAtRest()) {
                    return false;
                }
            }
            return true;
        }
    }

    /** A fork as the philosophers know it. */
    static class Fork {
        private final int number;
        private final Stage stage;
        private boolean taken;

        Fork(int number, Stage stage) {
            this.number = number;
            this.stage = stage;
        }

        synchronized void take(int philosopher) throws InterruptedException {
            while (taken) {
                wait();
            }
            taken = true;
            stage.takeUp(number, philosopher);
        }

        synchronized void putBack() {
            stage.layDown(number);
            taken = false;
            notifyAll();
        }

        int number() {
            return number;
        }
    }

    static class Philosopher extends Thread {
        private final int seat;
        private final Fork lower;
        private final Fork higher;
        private final int meals;
        private final Stage stage;

        Philosopher(int seat, Fork[] forks, int meals, Stage stage) {
            int other = (seat + 1) % forks.length;
            this.seat = seat;
            this.lower = forks[Math.min(seat, other)];
            this.higher = forks[Math.max(seat, other)];
            this.meals = meals;
            this.stage = stage;
        }

        private void pickUp(Fork fork) throws InterruptedException {
            fork.take(seat);
            for (int frame = 1; frame <= stage.frames(); frame++) {
                stage.lift(fork.number(), seat, frame);
            }
        }

        private void putDown(Fork fork) {
            for (int frame = 1; frame <= stage.frames(); frame++) {
                stage.lower(fork.number(), seat, frame);
            }
            fork.putBack();
        }

        @Override
        public void run() {
            try {
                stage.think(seat);
                for (int meal = 0; meal < meals; meal++) {
                    stage.hunger(seat);
                    pickUp(lower);
                    pickUp(higher);
                    stage.eat(seat);
                    stage.think(seat);
                    putDown(higher);
                    putDown(lower);
                }
            } catch (InterruptedException e) {
                // Nobody interrupts.
            }
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        int seats = argument(args, 0, 3);
        int meals = argument(args, 1, 1);
        int frames = argument(args, 2, 2);
        Stage stage = new Stage(seats, frames);
        Fork[] forks = new Fork[seats];
        for (int i = 0; i < seats; i++) {
            forks[i] = new Fork(i, stage);
        }
        Philosopher[] philosophers = new Philosopher[seats];
        for (int i = 0; i < seats; i++) {
            philosophers[i] = new Philosopher(i, forks, meals, stage);
            philosophers[i].start();
        }
        for (Philosopher philosopher : philosophers) {
            philosopher.join();
        }
        assert stage.isAtRest(meals) : "something was left as it should not be";
        assert stage.shown() == seats * (1 + meals * (7 + 4 * frames)) : "not every frame was shown";
        System.out.println(stage.shown() + " frames");
    }
}
