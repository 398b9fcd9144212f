import java.util.Arrays;

/**
 * The control loop of an unmanned aerial vehicle. On board are two processors. The one called fly-by-wire reads the pilot's radio
 * and moves the servos. The autopilot knows where the airplane is and where it should fly to. They talk over a bus. Each does a few
 * tasks periodically. The environment is a thread, too: it moves the airplane as the servos say, and raises the interrupts of the
 * radio receiver, of the GPS receiver and of the infrared sensors that tell how the airplane is tilted.
 *
 * After "jPapaBench", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field Accesses"
 * (2014), written from what is said of it there: some threads for the environment and interrupts, others for control and navigation,
 * which interact by fields of objects.
 *
 * Shared: the ports of the devices, which the environment and one of the processors access; the bus, between fly-by-wire and
 * autopilot; the autopilot's state, between its two threads. The mode is changed under the state's monitor, the bus has a monitor,
 * and all else that is shared is in volatile fields. Values with several parts are records, which never change. The airplane's
 * position is the environment's own, the flight plan is navigation's own, what the other tasks remember is theirs.
 *
 * There is no clock: a thread goes through its tasks for a number of rounds, and a task is due every so many rounds.
 *
 * Arguments: the number of rounds (1).
 */
public class JPapaBench {
    /** Full deflection of a servo, and full throttle. */
    private static final int FULL = 100;

    /** Farther than this from where it began, the airplane turns back. */
    private static final int TOO_FAR = 400;

    private static int limit(int value, int most) {
        return Math.max(-most, Math.min(most, value));
    }

    /** Who steers. */
    enum Mode {
        /** The pilot. */
        MANUAL,
        /** The autopilot, along the flight plan. */
        AUTO,
        /** The autopilot, back to where it began. Only the pilot ends this. */
        HOME
    }

    /** What comes from the pilot. */
    record RadioCommand(int throttle, int roll, int pitch, boolean wantsManual) {
    }

    /** How the airplane is tilted. */
    record Attitude(int roll, int pitch) {
    }

    /** Where the airplane is. */
    record Fix(int north, int east, int altitude) {
    }

    /** What the servos are to do. */
    record ServoCommand(int throttle, int roll, int pitch) {
        static final ServoCommand NEUTRAL = new ServoCommand(0, 0, 0);

        ServoCommand {
            assert throttle >= 0 && throttle <= FULL : "throttle";
            assert Math.abs(roll) <= FULL && Math.abs(pitch) <= FULL : "beyond full deflection";
        }
    }

    // Devices. Each has one writer and one reader.

    /** The environment writes, fly-by-wire reads. Null until the first pulse. */
    static class RadioReceiver {
        volatile RadioCommand pulse;
    }

    /** The environment writes, the autopilot's navigation reads. Null until the first fix. */
    static class GpsReceiver {
        volatile Fix fix;
    }

    /** The environment writes, the autopilot's stabilization reads. */
    static class InfraredSensors {
        volatile Attitude attitude = new Attitude(0, 0);
    }

    /** Fly-by-wire writes, the environment reads. */
    static class Servos {
        volatile ServoCommand command = ServoCommand.NEUTRAL;
    }

    /** The bus between the two processors. Each way has room for one message; a new one takes the place of the last. */
    static class Bus {
        private RadioCommand toAutopilot;
        private ServoCommand toFlyByWire;
        private int messages;

        synchronized void sendToAutopilot(RadioCommand message) {
            toAutopilot = message;
            messages++;
        }

        synchronized void sendToFlyByWire(ServoCommand message) {
            toFlyByWire = message;
            messages++;
        }

        /** Null if nothing new has come. */
        synchronized RadioCommand receiveFromFlyByWire() {
            RadioCommand message = toAutopilot;
            toAutopilot = null;
            return message;
        }

        /** Null if nothing new has come. */
        synchronized ServoCommand receiveFromAutopilot() {
            ServoCommand message = toFlyByWire;
            toFlyByWire = null;
            return message;
        }

        synchronized int messages() {
            return messages;
        }
    }

    /** What the tasks of the autopilot tell each other. */
    static class AutopilotState {
        private Mode mode = Mode.MANUAL;
        private int switches;

        /** Navigation or the pilot writes, stabilization reads. */
        volatile int wantedRoll;
        volatile int wantedPitch;
        volatile int throttle;

        synchronized Mode mode() {
            return mode;
        }

        /** The pilot takes over, or gives the airplane to the autopilot. */
        synchronized void radio(boolean wantsManual) {
            if (wantsManual) {
                set(Mode.MANUAL);
            } else if (mode == Mode.MANUAL) {
                set(Mode.AUTO);
            }
        }

        /** The airplane is too far away. The pilot may fly where he wants. */
        synchronized void goHome() {
            if (mode == Mode.AUTO) {
                set(Mode.HOME);
            }
        }

        private void set(Mode next) {
            assert next != Mode.HOME || mode == Mode.AUTO : "home only from the flight plan";
            if (next != mode) {
                mode = next;
                switches++;
            }
        }

        synchronized int switches() {
            return switches;
        }
    }

    /** Something that a thread does now and then. */
    interface Task {
        void execute();
    }

    /** Goes through its tasks, round after round. */
    static class PeriodicThread extends Thread {
        private final int rounds;
        private final Task[] tasks;
        private final int[] periods;
        private int executions;

        PeriodicThread(String name, int rounds, Task... tasks) {
            super(name);
            this.rounds = rounds;
            this.tasks = tasks;
            periods = new int[tasks.length];
            Arrays.fill(periods, 1);
        }

        /** A task is due every so many rounds, from the first one on. To be called before the thread starts. */
        PeriodicThread every(int period, int task) {
            periods[task] = period;
            return this;
        }

        @Override
        public void run() {
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < tasks.length; i++) {
                    if (round % periods[i] == 0) {
                        tasks[i].execute();
                        executions++;
                    }
                }
            }
        }

        /** How often a task should have been executed. */
        int expected() {
            int expected = 0;
            for (int period : periods) {
                expected += (rounds + period - 1) / period;
            }
            return expected;
        }
    }

    // The environment.

    /** Moves the airplane, and tells the sensors. */
    static class FlightModel implements Task {
        private final Servos servos;
        private final GpsReceiver gps;
        private final InfraredSensors infrared;
        private int north;
        private int east;
        private int altitude = 100;
        private int roll;
        private int pitch;

        FlightModel(Servos servos, GpsReceiver gps, InfraredSensors infrared) {
            this.servos = servos;
            this.gps = gps;
            this.infrared = infrared;
        }

        @Override
        public void execute() {
            ServoCommand command = servos.command;
            roll = limit(roll + command.roll() / 2, 60);
            pitch = limit(pitch + command.pitch() / 2, 30);
            int speed = 10 + command.throttle() / 10;
            north += speed;
            east += speed * roll / 60;
            altitude = Math.max(0, altitude + speed * pitch / 30);
            infrared.attitude = new Attitude(roll, pitch);
            gps.fix = new Fix(north, east, altitude);
        }
    }

    /** The pilot, who leaves the airplane to the autopilot and takes it back, in turn. */
    static class Pilot implements Task {
        private final RadioReceiver receiver;
        private int pulses;

        Pilot(RadioReceiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void execute() {
            receiver.pulse = new RadioCommand(50, 20, 10, pulses % 2 == 1);
            pulses++;
        }
    }

    // Fly-by-wire.

    /** Reads the radio, and tells the autopilot. */
    static class TestPpm implements Task {
        private final RadioReceiver receiver;
        private final Bus bus;

        TestPpm(RadioReceiver receiver, Bus bus) {
            this.receiver = receiver;
            this.bus = bus;
        }

        @Override
        public void execute() {
            RadioCommand command = receiver.pulse;
            if (command != null) {
                bus.sendToAutopilot(command);
            }
        }
    }

    /** Does what the autopilot says. If it has said nothing for long, the servos go to neutral. */
    static class CheckAutopilot implements Task {
        private static final int PATIENCE = 2;

        private final Bus bus;
        private final Servos servos;
        private int silence;

        CheckAutopilot(Bus bus, Servos servos) {
            this.bus = bus;
            this.servos = servos;
        }

        @Override
        public void execute() {
            ServoCommand command = bus.receiveFromAutopilot();
            if (command != null) {
                silence = 0;
                servos.command = command;
            } else {
                silence++;
                if (silence > PATIENCE) {
                    servos.command = ServoCommand.NEUTRAL;
                }
            }
        }
    }

    // The autopilot.

    /** Flies from one point of a plan to the next, or home. */
    static class Navigation implements Task {
        private static final Fix HOME = new Fix(0, 0, 100);

        private final GpsReceiver gps;
        private final AutopilotState state;
        private final Fix[] plan = { new Fix(60, 20, 110), new Fix(200, -20, 90) };
        private int next;

        Navigation(GpsReceiver gps, AutopilotState state) {
            this.gps = gps;
            this.state = state;
        }

        private static boolean isNear(Fix here, Fix there) {
            return Math.abs(here.north() - there.north()) < 20 && Math.abs(here.east() - there.east()) < 20;
        }

        @Override
        public void execute() {
            Fix here = gps.fix;
            Mode mode = state.mode();
            if (here == null || mode == Mode.MANUAL) {
                return;
            }
            if (Math.abs(here.north()) + Math.abs(here.east()) > TOO_FAR) {
                state.goHome();
            }
            if (isNear(here, plan[next])) {
                next = (next + 1) % plan.length;
            }
            Fix goal = mode == Mode.HOME ? HOME : plan[next];
            state.wantedRoll = limit(goal.east() - here.east(), 30);
            climb(goal.altitude() - here.altitude());
        }

        /** Sets pitch and throttle for a climb. */
        private void climb(int difference) {
            int climb = limit(difference, 20);
            state.wantedPitch = climb;
            state.throttle = 50 + climb;
        }
    }

    /** Reads what fly-by-wire has heard from the pilot, and does it if he steers. */
    static class RadioControl implements Task {
        private final Bus bus;
        private final AutopilotState state;

        RadioControl(Bus bus, AutopilotState state) {
            this.bus = bus;
            this.state = state;
        }

        @Override
        public void execute() {
            RadioCommand command = bus.receiveFromFlyByWire();
            if (command == null) {
                return;
            }
            state.radio(command.wantsManual());
            if (state.mode() == Mode.MANUAL) {
                state.wantedRoll = command.roll();
                state.wantedPitch = command.pitch();
                state.throttle = command.throttle();
            }
        }
    }

    /** Works out from how the airplane is tilted, and how it should be, what the servos are to do. */
    static class Stabilization implements Task {
        private final InfraredSensors infrared;
        private final AutopilotState state;
        private final Bus bus;

        Stabilization(InfraredSensors infrared, AutopilotState state, Bus bus) {
            this.infrared = infrared;
            this.state = state;
            this.bus = bus;
        }

        @Override
        public void execute() {
            Attitude attitude = infrared.attitude;
            int roll = limit(2 * (state.wantedRoll - attitude.roll()), FULL);
            int pitch = limit(2 * (state.wantedPitch - attitude.pitch()), FULL);
            bus.sendToFlyByWire(new ServoCommand(state.throttle, roll, pitch));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 1;
        RadioReceiver radio = new RadioReceiver();
        GpsReceiver gps = new GpsReceiver();
        InfraredSensors infrared = new InfraredSensors();
        Servos servos = new Servos();
        Bus bus = new Bus();
        AutopilotState state = new AutopilotState();
        PeriodicThread[] threads = {
            new PeriodicThread("environment", rounds, new FlightModel(servos, gps, infrared), new Pilot(radio)).every(2, 1),
            new PeriodicThread("fly-by-wire", rounds, new TestPpm(radio, bus), new CheckAutopilot(bus, servos)),
            new PeriodicThread("navigation", rounds, new Navigation(gps, state)),
            new PeriodicThread("stabilization", rounds, new RadioControl(bus, state), new Stabilization(infrared, state, bus)),
        };
        for (PeriodicThread thread : threads) {
            thread.start();
        }
        for (PeriodicThread thread : threads) {
            thread.join();
            assert thread.executions == thread.expected() : "a task was left out";
        }
        assert infrared.attitude.roll() <= 60 && gps.fix.altitude() >= 0 : "crashed";
        assert bus.messages() >= rounds && bus.messages() <= 2 * rounds : "messages are lost";
        assert state.switches() <= 2 * rounds : "the mode was changed too often";
        System.out.println(bus.messages() + " messages, mode " + state.mode());
    }
}
