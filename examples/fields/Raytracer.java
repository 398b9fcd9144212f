import java.util.ArrayList;
import java.util.List;

/**
 * Renders a picture of a few spheres by following rays of light backwards, from the eye to the lights. The lines of the picture are
 * dealt out to two workers. Each renders its lines, adds their brightness to a common checksum, and waits for the other one.
 *
 * After "Raytracer", section 8.2 of Parízek and Lhoták, "Model Checking of Concurrent Programs with Static Analysis of Field
 * Accesses" (2014), written from what is said of it there: two workers, a scene with lights and spheres, a part of the image for each.
 *
 * Shared by both workers: the scene, which never changes once they run, and the array of pixels, of which each writes other elements.
 * The checksum is accessed under the picture's monitor, and who has arrived at the barrier under the barrier's.
 * Rays, hits and vectors on the way are each worker's own; a worker keeps a few of them to use them again.
 *
 * Arguments: the width (2) and the height (2) of the picture, the number of spheres (2), and of workers (2).
 */
public class Raytracer {
    /** How often a ray may be reflected. */
    private static final int DEPTH = 2;

    /** Closer than this is where a ray begins. */
    private static final double NEAR = 1e-6;

    /** A vector with three numbers, which is changed in place. */
    static class Vec {
        double x;
        double y;
        double z;

        Vec() {
        }

        Vec(double x, double y, double z) {
            set(x, y, z);
        }

        Vec set(double x, double y, double z) {
            this.x = x;
            this.y = y;
            this.z = z;
            return this;
        }

        Vec set(Vec other) {
            return set(other.x, other.y, other.z);
        }

        Vec add(Vec other) {
            return set(x + other.x, y + other.y, z + other.z);
        }

        Vec subtract(Vec other) {
            return set(x - other.x, y - other.y, z - other.z);
        }

        /** Adds another vector, so many times as long. */
        Vec addScaled(double factor, Vec other) {
            return set(x + factor * other.x, y + factor * other.y, z + factor * other.z);
        }

        double dot(Vec other) {
            return x * other.x + y * other.y + z * other.z;
        }

        /** Makes its length 1. */
        Vec normalize() {
            double length = Math.sqrt(dot(this));
            return length == 0 ? this : set(x / length, y / length, z / length);
        }
    }

    /** A half line. */
    static class Ray {
        final Vec origin = new Vec();
        final Vec direction = new Vec();
    }

    /** What a thing looks like. */
    record Surface(double diffuse, double mirror, double brightness) {
    }

    /** Where a ray meets a thing first. */
    static class Hit {
        Thing thing;
        double distance;

        void clear() {
            thing = null;
            distance = Double.MAX_VALUE;
        }

        void offer(Thing candidate, double at) {
            if (at > NEAR && at < distance) {
                thing = candidate;
                distance = at;
            }
        }
    }

    /** What can be seen. */
    interface Thing {
        /** Offers the places where a ray meets this. */
        void intersect(Ray ray, Vec scratch, Hit hit);

        /** The direction away from the surface at a place on it. */
        void normal(Vec place, Vec result);

        Surface surface();
    }

    static class Sphere implements Thing {
        private final Vec centre;
        private final double radius;
        private final Surface surface;

        Sphere(Vec centre, double radius, Surface surface) {
            this.centre = centre;
            this.radius = radius;
            this.surface = surface;
        }

        @Override
        public void intersect(Ray ray, Vec scratch, Hit hit) {
            Vec toCentre = scratch.set(centre).subtract(ray.origin);
            double along = toCentre.dot(ray.direction);
            double rest = radius * radius - toCentre.dot(toCentre) + along * along;
            if (rest >= 0) {
                double root = Math.sqrt(rest);
                hit.offer(this, along - root);
                hit.offer(this, along + root);
            }
        }

        @Override
        public void normal(Vec place, Vec result) {
            result.set(place).subtract(centre).normalize();
        }

        @Override
        public Surface surface() {
            return surface;
        }
    }

    /** A lamp, as small as a point. */
    record Light(Vec position, double brightness) {
    }

    /** From where the picture is taken. */
    record View(Vec eye, double distance, double width) {
        /** The ray through a pixel. */
        void aim(int column, int row, int columns, int rows, Ray ray) {
            ray.origin.set(eye);
            double side = width / Math.max(columns, rows);
            ray.direction.set((column + 0.5 - columns / 2.0) * side, (rows / 2.0 - row - 0.5) * side, distance).normalize();
        }
    }

    /** All that there is to see. Built by {@code main}; only read once the workers have begun. */
    static class Scene {
        private final List<Thing> things = new ArrayList<>();
        private final List<Light> lights = new ArrayList<>();
        private View view;

        void add(Thing thing) {
            things.add(thing);
        }

        void add(Light light) {
            lights.add(light);
        }

        void setView(View view) {
            this.view = view;
        }

        View view() {
            return view;
        }

        int lights() {
            return lights.size();
        }

        Light light(int index) {
            return lights.get(index);
        }

        /** Finds what a ray meets first. */
        boolean trace(Ray ray, Vec scratch, Hit hit) {
            hit.clear();
            for (int i = 0; i < things.size(); i++) {
                things.get(i).intersect(ray, scratch, hit);
            }
            return hit.thing != null;
        }

        /** A few spheres beside each other, and a light above them. */
        static Scene of(int spheres) {
            Scene scene = new Scene();
            for (int i = 0; i < spheres; i++) {
                double mirror = i % 2 == 0 ? 0.5 : 0;
                scene.add(new Sphere(new Vec(2 * i - spheres + 1, 0, 5), 1, new Surface(1 - mirror, mirror, 200)));
            }
            scene.add(new Light(new Vec(0, 10, 0), 1));
            scene.setView(new View(new Vec(0, 0, 0), 1, 0.6));
            return scene;
        }
    }

    /** The pixels, and the sum of them all. */
    static class Picture {
        final int columns;
        final int rows;
        private final int[] pixels;
        private long checksum;

        Picture(int columns, int rows) {
            this.columns = columns;
            this.rows = rows;
            pixels = new int[columns * rows];
        }

        /** Only one worker has the row. */
        void set(int column, int row, int brightness) {
            pixels[row * columns + column] = brightness;
        }

        synchronized void addToChecksum(long sum) {
            checksum += sum;
        }

        synchronized long checksum() {
            return checksum;
        }

        /** The sum of all pixels; for those who have waited for all workers. */
        long sum() {
            long sum = 0;
            for (int pixel : pixels) {
                sum += pixel;
            }
            return sum;
        }
    }

    /** Where workers wait until all are there. */
    static class Barrier {
        private final int parties;
        private int arrived;

        Barrier(int parties) {
            this.parties = parties;
        }

        synchronized void await() throws InterruptedException {
            arrived++;
            if (arrived == parties) {
                notifyAll();
            }
            while (arrived < parties) {
                wait();
            }
        }
    }

    /** Follows rays through a scene. Each worker has one, with its own vectors to work with. */
    static class Tracer {
        private final Scene scene;
        private final Vec scratch = new Vec();
        private final Vec towardsLight = new Vec();
        private final Ray shadow = new Ray();
        private final Hit shade = new Hit();

        Tracer(Scene scene) {
            this.scene = scene;
        }

        /** How bright it is where a ray leads to. */
        double follow(Ray ray, int depth) {
            Hit hit = new Hit();
            if (!scene.trace(ray, scratch, hit)) {
                return 0;
            }
            Vec place = new Vec().set(ray.origin).addScaled(hit.distance, ray.direction);
            Vec normal = new Vec();
            hit.thing.normal(place, normal);
            Surface surface = hit.thing.surface();
            double light = surface.diffuse() * surface.brightness() * lightAt(place, normal);
            if (surface.mirror() > 0 && depth > 1) {
                light += surface.mirror() * follow(reflected(ray, place, normal), depth - 1);
            }
            return light;
        }

        /** How much light comes directly to a place. */
        private double lightAt(Vec place, Vec normal) {
            double sum = 0;
            for (int i = 0; i < scene.lights(); i++) {
                Light light = scene.light(i);
                towardsLight.set(light.position()).subtract(place).normalize();
                double slope = towardsLight.dot(normal);
                shadow.origin.set(place);
                shadow.direction.set(towardsLight);
                if (slope > 0 && !scene.trace(shadow, scratch, shade)) {
                    sum += slope * light.brightness();
                }
            }
            return sum;
        }

        private static Ray reflected(Ray ray, Vec place, Vec normal) {
            Ray reflected = new Ray();
            reflected.origin.set(place);
            reflected.direction.set(ray.direction).addScaled(-2 * ray.direction.dot(normal), normal).normalize();
            return reflected;
        }
    }

    /** Renders every so many lines of the picture. */
    static class Worker extends Thread {
        private final int number;
        private final int workers;
        private final Scene scene;
        private final Picture picture;
        private final Barrier barrier;
        private long checksum;

        Worker(int number, int workers, Scene scene, Picture picture, Barrier barrier) {
            super("worker " + number);
            this.number = number;
            this.workers = workers;
            this.scene = scene;
            this.picture = picture;
            this.barrier = barrier;
        }

        private void render(Tracer tracer, int row) {
            Ray ray = new Ray();
            for (int column = 0; column < picture.columns; column++) {
                scene.view().aim(column, row, picture.columns, picture.rows, ray);
                int brightness = (int) Math.min(255, tracer.follow(ray, DEPTH));
                picture.set(column, row, brightness);
                checksum += brightness;
            }
        }

        @Override
        public void run() {
            Tracer tracer = new Tracer(scene);
            for (int row = number; row < picture.rows; row += workers) {
                render(tracer, row);
            }
            picture.addToChecksum(checksum);
            try {
                barrier.await();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts", e);
            }
            // All have added theirs, so all see the same.
            assert picture.checksum() == picture.sum() : "a part of the checksum is lost";
        }
    }

    private static int argument(String[] args, int index, int otherwise) {
        return args.length > index ? Integer.parseInt(args[index]) : otherwise;
    }

    public static void main(String[] args) throws InterruptedException {
        Picture picture = new Picture(argument(args, 0, 2), argument(args, 1, 2));
        Scene scene = Scene.of(argument(args, 2, 2));
        Worker[] workers = new Worker[argument(args, 3, 2)];
        Barrier barrier = new Barrier(workers.length);
        for (int i = 0; i < workers.length; i++) {
            workers[i] = new Worker(i, workers.length, scene, picture, barrier);
            workers[i].start();
        }
        for (Worker worker : workers) {
            worker.join();
        }
        assert picture.checksum() == picture.sum() : "not all lines were rendered";
        System.out.println("checksum " + picture.checksum());
    }
}
