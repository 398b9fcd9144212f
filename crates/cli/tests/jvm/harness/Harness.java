import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import raddle.Verify;

/** Calls methods many times, each time on fresh classes, and prints what was observed: a line `Class.method 1 2 3` for each. */
public class Harness {
    public static void main(String[] args) throws Exception {
        URL[] programs = {new File(args[0]).toURI().toURL()};
        int times = Integer.parseInt(args[1]);
        for (int i = 2; i < args.length; i++) {
            String[] name = args[i].split("\\.");
            Verify.OBSERVED.clear();
            for (int time = 0; time < times; time++) {
                try (URLClassLoader fresh = new URLClassLoader(programs)) {
                    fresh.loadClass(name[0]).getMethod(name[1]).invoke(null);
                }
            }
            StringBuilder line = new StringBuilder(args[i]);
            for (int value : Verify.OBSERVED) {
                line.append(' ').append(value);
            }
            System.out.println(line);
        }
    }
}
