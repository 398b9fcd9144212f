import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Collision detection for aircraft. A simulator stands for a radar: it works out where each aircraft is, and puts a frame with all
 * positions into a ring buffer. A detector takes frames out of it. From the last two positions of an aircraft it makes a motion; it
 * sorts the motions into the squares of a grid that they pass through, and looks in each square for two that come too close.
 *
 * After "CDx", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses"
 * (2014), written from what is said of it there: two threads, two aircraft whose course is fixed beforehand, a circular buffer.
 *
 * Shared by both threads: the ring buffer, under its monitor, and the frames that go through it, which never change.
 * The aircraft and their courses are the simulator's alone. The table of last positions, the grid and the motions are the
 * detector's alone, until it has ended and {@code main} looks at what was found.
 *
 * Arguments: the number of frames (3), of aircraft (2), and the capacity of the buffer (2).
 */
public class CDx {
    /** Two aircraft that come closer than this have nearly collided. */
    private static final double TOO_CLOSE = 1.0;

    /** The side of a square of the grid. */
    private static final double SQUARE = 10.0;

    /** A place, or a step from one place to another. */
    record Vector3(double x, double y, double z) {
        Vector3 plus(Vector3 other) {
            return new Vector3(x + other.x, y + other.y, z + other.z);
        }

        Vector3 minus(Vector3 other) {
            return new Vector3(x - other.x, y - other.y, z - other.z);
        }

        Vector3 times(double factor) {
            return new Vector3(x * factor, y * factor, z * factor);
        }

        double dot(Vector3 other) {
            return x * other.x + y * other.y + z * other.z;
        }
    }

    /** The name of an aircraft. */
    record CallSign(String letters) {
    }

    /** What the radar sees at one moment: the i-th aircraft is at the i-th position. Never changes. */
    static class Frame {
        private final int number;
        private final CallSign[] signs;
        private final Vector3[] positions;

        Frame(int number, CallSign[] signs, Vector3[] positions) {
            this.number = number;
            this.signs = signs;
            this.positions = positions;
        }

        int number() {
            return number;
        }

        int size() {
            return signs.length;
        }

        CallSign sign(int index) {
            return signs[index];
        }

        Vector3 position(int index) {
            return positions[index];
        }
    }

    /** Frames on their way from the simulator to the detector. Its fields are accessed under its monitor only. */
    static class FrameBuffer {
        private final Frame[] frames;
        private int first;
        private int count;
        private boolean isClosed;

        FrameBuffer(int capacity) {
            frames = new Frame[capacity];
        }

        /** Puts a frame in; waits while the buffer is full. */
        synchronized void put(Frame frame) throws InterruptedException {
            while (count == frames.length) {
                wait();
            }
            assert !isClosed : "a frame after the last";
            frames[(first + count) % frames.length] = frame;
            count++;
            notifyAll();
        }

        /** Takes the oldest frame; waits while there is none. Null after the last one. */
        synchronized Frame take() throws InterruptedException {
            while (count == 0 && !isClosed) {
                wait();
            }
            if (count == 0) {
                return null;
            }
            Frame frame = frames[first];
            frames[first] = null;
            first = (first + 1) % frames.length;
            count--;
            notifyAll();
            return frame;
        }

        /** No frame comes after those that are in the buffer. */
        synchronized void close() {
            isClosed = true;
            notifyAll();
        }
    }

    /** An aircraft that flies straight on. The simulator's own. */
    static class Aircraft {
        private final CallSign sign;
        private final Vector3 velocity;
        private Vector3 position;

        Aircraft(CallSign sign, Vector3 start, Vector3 velocity) {
            this.sign = sign;
            this.position = start;
            this.velocity = velocity;
        }

        CallSign sign() {
            return sign;
        }

        Vector3 position() {
            return position;
        }

        void fly() {
            position = position.plus(velocity);
        }
    }

    /** The radar. */
    static class Simulator implements Runnable {
        private final FrameBuffer buffer;
        private final int frames;
        private final List<Aircraft> aircraft = new ArrayList<>();

        Simulator(FrameBuffer buffer, int frames, int planes) {
            this.buffer = buffer;
            this.frames = frames;
            for (int i = 0; i < planes; i++) {
                aircraft.add(pregenerated(i));
            }
        }

        /** Even ones fly east, odd ones north. The first two meet between the second and the third frame. */
        private static Aircraft pregenerated(int number) {
            CallSign sign = new CallSign("plane" + number);
            double height = 5 * (number / 2);
            return number % 2 == 0
                ? new Aircraft(sign, new Vector3(-6, 0, height), new Vector3(4, 0, 0))
                : new Aircraft(sign, new Vector3(0, -6, height), new Vector3(0, 4, 0));
        }

        private Frame look(int number) {
            CallSign[] signs = new CallSign[aircraft.size()];
            Vector3[] positions = new Vector3[aircraft.size()];
            for (int i = 0; i < signs.length; i++) {
                Aircraft one = aircraft.get(i);
                signs[i] = one.sign();
                positions[i] = one.position();
            }
            return new Frame(number, signs, positions);
        }

        @Override
        public void run() {
            try {
                for (int number = 0; number < frames; number++) {
                    buffer.put(look(number));
                    for (Aircraft one : aircraft) {
                        one.fly();
                    }
                }
                buffer.close();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts", e);
            }
        }
    }

    /** The way of an aircraft from one frame to the next. */
    record Motion(CallSign sign, Vector3 from, Vector3 to) {
        /** Where the aircraft is after a part of the time, 0 to 1. */
        Vector3 after(double part) {
            return from.plus(to.minus(from).times(part));
        }

        /** The place where this one and another come too close; null if they do not. */
        Vector3 meets(Motion other) {
            Vector3 apart = from.minus(other.from);
            Vector3 drift = to.minus(from).minus(other.to.minus(other.from));
            double speed = drift.dot(drift);
            // The moment at which they are closest, as far as it lies between the two frames.
            double part = speed == 0 ? 0 : Math.max(0, Math.min(1, -apart.dot(drift) / speed));
            Vector3 mine = after(part);
            Vector3 distance = mine.minus(other.after(part));
            return distance.dot(distance) < TOO_CLOSE * TOO_CLOSE ? mine : null;
        }
    }

    /** A square of the grid, seen from above. */
    record Voxel(int x, int y) {
        static Voxel of(Vector3 place) {
            return new Voxel((int) Math.floor(place.x() / SQUARE), (int) Math.floor(place.y() / SQUARE));
        }
    }

    /** Two aircraft that came too close, and where. */
    record Collision(int frame, CallSign one, CallSign other, Vector3 place) {
        boolean isBetween(CallSign a, CallSign b) {
            return one.equals(a) && other.equals(b) || one.equals(b) && other.equals(a);
        }
    }

    /** Sorts motions into the squares that they pass through, so that only those in one square are compared. */
    static class Reducer {
        private final Map<Voxel, List<Motion>> voxels = new LinkedHashMap<>();

        void add(Motion motion) {
            Voxel from = Voxel.of(motion.from());
            Voxel to = Voxel.of(motion.to());
            for (int x = Math.min(from.x(), to.x()); x <= Math.max(from.x(), to.x()); x++) {
                for (int y = Math.min(from.y(), to.y()); y <= Math.max(from.y(), to.y()); y++) {
                    addAround(x, y, motion);
                }
            }
        }

        /** Into a square and its neighbours: two that come close may be on both sides of a border. */
        private void addAround(int x, int y, Motion motion) {
            for (int nearX = x - 1; nearX <= x + 1; nearX++) {
                for (int nearY = y - 1; nearY <= y + 1; nearY++) {
                    List<Motion> motions = voxels.computeIfAbsent(new Voxel(nearX, nearY), key -> new ArrayList<>());
                    if (!motions.contains(motion)) {
                        motions.add(motion);
                    }
                }
            }
        }

        /** Motions that share a square, for each square with two or more. */
        List<List<Motion>> crowded() {
            List<List<Motion>> crowded = new ArrayList<>();
            for (List<Motion> motions : voxels.values()) {
                if (motions.size() > 1) {
                    crowded.add(motions);
                }
            }
            return crowded;
        }
    }

    /** Looks for collisions, frame by frame. */
    static class Detector implements Runnable {
        private final FrameBuffer buffer;
        private final Map<CallSign, Vector3> last = new HashMap<>();
        private final List<Collision> collisions = new ArrayList<>();
        private int frames;

        Detector(FrameBuffer buffer) {
            this.buffer = buffer;
        }

        /** The motions since the frame before. An aircraft that is new has not moved. */
        private List<Motion> motions(Frame frame) {
            List<Motion> motions = new ArrayList<>();
            for (int i = 0; i < frame.size(); i++) {
                CallSign sign = frame.sign(i);
                Vector3 now = frame.position(i);
                Vector3 before = last.put(sign, now);
                motions.add(new Motion(sign, before == null ? now : before, now));
            }
            return motions;
        }

        private boolean isKnown(Collision collision) {
            for (Collision known : collisions) {
                if (known.frame() == collision.frame() && known.isBetween(collision.one(), collision.other())) {
                    return true;
                }
            }
            return false;
        }

        private void compare(int frame, List<Motion> motions) {
            for (int i = 0; i < motions.size(); i++) {
                for (int j = i + 1; j < motions.size(); j++) {
                    Motion one = motions.get(i);
                    Motion other = motions.get(j);
                    Vector3 place = one.meets(other);
                    if (place != null) {
                        Collision collision = new Collision(frame, one.sign(), other.sign(), place);
                        if (!isKnown(collision)) {
                            collisions.add(collision);
                        }
                    }
                }
            }
        }

        private void detect(Frame frame) {
            assert frame.number() == frames : "a frame is lost, or came twice";
            frames++;
            Reducer reducer = new Reducer();
            for (Motion motion : motions(frame)) {
                reducer.add(motion);
            }
            for (List<Motion> motions : reducer.crowded()) {
                compare(frame.number(), motions);
            }
        }

        @Override
        public void run() {
            try {
                for (Frame frame = buffer.take(); frame != null; frame = buffer.take()) {
                    detect(frame);
                }
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts", e);
            }
        }

        int frames() {
            return frames;
        }

        List<Collision> collisions() {
            return collisions;
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        int frames = argument(args, 0, 3);
        int planes = argument(args, 1, 2);
        FrameBuffer buffer = new FrameBuffer(argument(args, 2, 2));
        Detector detector = new Detector(buffer);
        Thread radar = new Thread(new Simulator(buffer, frames, planes), "simulator");
        Thread watch = new Thread(detector, "detector");
        radar.start();
        watch.start();
        radar.join();
        watch.join();
        assert detector.frames() == frames : "not all frames were looked at";
        // Each pair at one height meets once, on its way to the third frame.
        int expected = frames > 2 ? planes / 2 : 0;
        assert detector.collisions().size() == expected : detector.collisions();
        for (Collision collision : detector.collisions()) {
            assert collision.frame() == 2 : collision;
        }
        System.out.println(detector.collisions().size() + " collisions in " + frames + " frames");
    }
}
