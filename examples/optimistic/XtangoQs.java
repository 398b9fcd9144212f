import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Quicksort by several workers, animated, with the drawing left out. Segments of the row that have still to be sorted lie on a
 * pile, from which the workers take them; to sort a segment is to partition it and to put the parts onto the pile. The row is
 * shared, and so is the stage on which every number is a bar: it keeps where each bar stands and what colour it has, and would
 * draw it there. Bars that change places do so in a few frames, and in between another worker may have its bars moved.
 *
 * In place of "Xtango-QS", which the slides of Stoller and Cohen, "Optimistic Synchronization-Based State-Space Reduction" (2006)
 * measure; written afresh from what is said of it there.
 *
 * Arguments: the number of workers (2), how many numbers there are to be sorted (6, at most 8), and the frames in which bars
 * change places (2).
 */
public class XtangoQs {
    private static final int[] NUMBERS = {3, 5, 1, 4, 2, 8, 6, 7};

    /** A part of the row, both ends included. */
    record Segment(int low, int high) {
        int length() {
            return high - low + 1;
        }
    }

    enum Colour {
        GREY, YELLOW, RED, BLUE, GREEN
    }

    /** A number as it is drawn. Guarded by the stage. */
    static class Bar {
        private static final int WIDTH = 12;

        private final int height;
        private int x;
        private Colour colour = Colour.GREY;

        Bar(int height, int place) {
            this.height = height;
            this.x = place * WIDTH;
        }

        void stepTowards(int place, int stepsLeft) {
            x += (place * WIDTH - x) / stepsLeft;
        }

        boolean standsAt(int place) {
            return x == place * WIDTH;
        }
    }

    /** All that would be drawn. Every call is one frame. */
    static class Stage {
        private final Bar[] bars;
        private final int frames;

        Stage(int[] numbers, int frames) {
            this.frames = frames;
            bars = new Bar[numbers.length];
            for (int i = 0; i < numbers.length; i++) {
                bars[i] = new Bar(10 * numbers[i], i);
            }
        }

        int frames() {
            return frames;
        }

        /** Colours a segment that somebody begins with. */
        synchronized void begin(Segment segment) {
            for (int place = segment.low(); place <= segment.high(); place++) {
                assert bars[place].colour == Colour.GREY : "somebody else is at it";
                bars[place].colour = Colour.YELLOW;
            }
        }

        /** Marks the bar that the others of a segment are compared with. */
        synchronized void choosePivot(int place) {
            assert bars[place].colour == Colour.YELLOW : "not from the segment";
            bars[place].colour = Colour.RED;
        }

        /** Moves two bars a bit of the way to each other's places; with the last step, each is where the other was. */
        synchronized void exchange(int one, int other, int stepsLeft) {
            bars[one].stepTowards(other, stepsLeft);
            bars[other].stepTowards(one, stepsLeft);
            if (stepsLeft == 1) {
                Bar bar = bars[one];
                bars[one] = bars[other];
                bars[other] = bar;
                assert bars[one].standsAt(one) && bars[other].standsAt(other) : "a bar has been stopped on its way";
            } else {
                bars[one].colour = bars[one].colour == Colour.RED ? Colour.RED : Colour.BLUE;
                bars[other].colour = bars[other].colour == Colour.RED ? Colour.RED : Colour.BLUE;
            }
        }

        /** Colours a segment that has been parted: the pivot is where it belongs, the others wait for their turn again. */
        synchronized void end(Segment segment, int pivot) {
            for (int place = segment.low(); place <= segment.high(); place++) {
                assert bars[place].standsAt(place) : "a bar is between places";
                bars[place].colour = place == pivot ? Colour.GREEN : Colour.GREY;
            }
        }

        /** Whether all bars stand in order, and no worker has left its colour on any. */
        synchronized boolean isDone() {
            for (int place = 0; place < bars.length; place++) {
                if (bars[place].colour != Colour.GREEN || !bars[place].standsAt(place)) {
                    return false;
                }
                if (place > 0 && bars[place - 1].height > bars[place].height) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The numbers to be sorted. */
    static class Row {
        private final int[] numbers;
        private final Stage stage;

        Row(int[] numbers, Stage stage) {
            this.numbers = numbers.clone();
            this.stage = stage;
        }

        synchronized boolean isLess(int one, int other) {
            return numbers[one] < numbers[other];
        }

        /** Exchanges two numbers. The stage shows it, and goes on with it when the row is open to others again. */
        void exchange(int one, int other) {
            if (one == other) {
                return;
            }
            synchronized (this) {
                int number = numbers[one];
                numbers[one] = numbers[other];
                numbers[other] = number;
            }
            for (int left = stage.frames(); left >= 1; left--) {
                stage.exchange(one, other, left);
            }
        }

        synchronized boolean isSorted() {
            for (int i = 1; i < numbers.length; i++) {
                if (numbers[i - 1] > numbers[i]) {
                    return false;
                }
            }
            return true;
        }

        synchronized int sum() {
            int sum = 0;
            for (int number : numbers) {
                sum += number;
            }
            return sum;
        }
    }

    /** Segments that have still to be sorted. The work is over when there are none, and nobody works who might bring more. */
    static class Pile {
        private final Deque<Segment> segments = new ArrayDeque<>();
        private int working;

        synchronized void put(Segment segment) {
            segments.push(segment);
            notifyAll();
        }

        /** A segment to sort; null when the work is over. */
        synchronized Segment take() throws InterruptedException {
            while (segments.isEmpty() && working > 0) {
                wait();
            }
            if (segments.isEmpty()) {
                return null;
            }
            working++;
            return segments.pop();
        }

        /** Says that a segment that was taken has been dealt with. */
        synchronized void done() {
            working--;
            if (working == 0) {
                notifyAll();
            }
        }

        synchronized boolean isEmpty() {
            return segments.isEmpty() && working == 0;
        }
    }

    static class Worker extends Thread {
        private final Row row;
        private final Pile pile;
        private final Stage stage;

        Worker(Row row, Pile pile, Stage stage) {
            this.row = row;
            this.pile = pile;
            this.stage = stage;
        }

        /** Brings what is less than the last number of the segment to the left of it, and the last number between. */
        private int partition(Segment segment) {
            int pivot = segment.high();
            int border = segment.low();
            stage.choosePivot(pivot);
            for (int i = segment.low(); i < pivot; i++) {
                if (row.isLess(i, pivot)) {
                    row.exchange(border, i);
                    border++;
                }
            }
            row.exchange(border, pivot);
            return border;
        }

        private void sort(Segment segment) {
            stage.begin(segment);
            int middle = segment.low();
            if (segment.length() > 1) {
                middle = partition(segment);
            }
            stage.end(segment, middle);
            Segment left = new Segment(segment.low(), middle - 1);
            Segment right = new Segment(middle + 1, segment.high());
            if (left.length() > 0) {
                pile.put(left);
            }
            if (right.length() > 0) {
                pile.put(right);
            }
        }

        @Override
        public void run() {
            try {
                for (Segment segment = pile.take(); segment != null; segment = pile.take()) {
                    sort(segment);
                    pile.done();
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
        int[] numbers = new int[argument(args, 1, 6)];
        System.arraycopy(NUMBERS, 0, numbers, 0, numbers.length);
        Stage stage = new Stage(numbers, argument(args, 2, 2));
        Row row = new Row(numbers, stage);
        int sum = row.sum();
        Pile pile = new Pile();
        pile.put(new Segment(0, numbers.length - 1));
        Worker[] workers = new Worker[argument(args, 0, 2)];
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(row, pile, stage);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        assert pile.isEmpty() : "something was left to be sorted";
        assert row.isSorted() && row.sum() == sum : "not sorted";
        assert stage.isDone() : "the stage shows something else";
        System.out.println("sorted");
    }
}
