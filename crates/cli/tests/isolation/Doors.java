import java.io.*;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.*;
import java.nio.ByteBuffer;
import java.nio.channels.*;
import java.nio.file.*;
import java.nio.file.attribute.*;
import java.util.*;

/**
 * Tries to get at the host through one door: Doors NAME FOLDER PORT. The folder has a file `secret`, which holds the word
 * "treasure", a class file `Hidden.class` and a jar `hidden.jar`. Whatever a door lets through is printed. Without arguments,
 * the names of all doors are.
 */
public class Doors {
    interface Door {
        Object open() throws Throwable;
    }

    static String folder, secret, canary;
    static int port;
    static final Map<String, Door> DOORS = new LinkedHashMap<>();

    static native void elsewhere();

    static void files() {
        DOORS.put("FileInputStream", () -> new String(new FileInputStream(secret).readAllBytes()));
        DOORS.put("FileReader", () -> new BufferedReader(new FileReader(secret)).readLine());
        DOORS.put("Scanner", () -> new Scanner(new File(secret)).nextLine());
        DOORS.put("RandomAccessFile", () -> new RandomAccessFile(secret, "r").readLine());
        DOORS.put("Files.readString", () -> Files.readString(Path.of(secret)));
        DOORS.put("Files.lines", () -> Files.lines(Path.of(secret)).findFirst().get());
        DOORS.put("Files.walk", () -> Files.walk(Path.of(folder)).count());
        DOORS.put("FileChannel", () -> read(FileChannel.open(Path.of(secret))));
        DOORS.put("FileChannel.map", () -> {
            FileChannel channel = FileChannel.open(Path.of(secret));
            return "treasure " + channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()).get();
        });
        DOORS.put("AsynchronousFileChannel", () -> {
            ByteBuffer buffer = ByteBuffer.allocate(8);
            AsynchronousFileChannel.open(Path.of(secret)).read(buffer, 0).get();
            return new String(buffer.array());
        });
        DOORS.put("File.exists", () -> known(new File(secret).exists()));
        DOORS.put("File.length", () -> known(new File(secret).length() > 0));
        DOORS.put("File.list", () -> Arrays.toString(new File(folder).list()));
        DOORS.put("File.list root", () -> known(new File("/").list().length > 0));
        DOORS.put("File.getFreeSpace", () -> known(new File("/").getFreeSpace() > 0));
        DOORS.put("Files.getFileStore", () -> known(Files.getFileStore(Path.of("/")).getTotalSpace() > 0));
        DOORS.put("Files.getOwner", () -> known(Files.getOwner(Path.of(secret)) != null));
        DOORS.put("Files.readAttributes", () -> known(Files.readAttributes(Path.of(secret), BasicFileAttributes.class) != null));
        DOORS.put("File.getCanonicalPath link", () -> known(new File(folder, "classes/link").getCanonicalPath().endsWith("secret")));
        DOORS.put("up from the class path", () -> Files.readString(Path.of(folder, "classes/../secret")));
        DOORS.put("link in the class path", () -> Files.readString(Path.of(folder, "classes/link")));
        DOORS.put("relative", () -> Files.readString(Path.of("secret")));
        DOORS.put("file URL", () -> new String(new URL("file:" + secret).openStream().readAllBytes()));
        DOORS.put("jar URL", () -> new String(new URL("jar:file:" + folder + "/hidden.jar!/treasure").openStream().readAllBytes()));
        DOORS.put("JarFile", () -> new java.util.jar.JarFile(folder + "/hidden.jar").entries().nextElement());
        DOORS.put("zip file system", () -> FileSystems.newFileSystem(Path.of(folder, "hidden.jar")).getPath("treasure"));
        DOORS.put("/proc/self/environ", () -> new String(new FileInputStream("/proc/self/environ").readAllBytes()));
        DOORS.put("/proc/self/cmdline", () -> "cmd " + new FileInputStream("/proc/self/cmdline").readAllBytes().length);
        DOORS.put("/proc/self/mem", () -> "mem " + new RandomAccessFile("/proc/self/mem", "r").length());
        DOORS.put("/proc/self/root", () -> Files.readString(Path.of("/proc/self/root" + secret)));
        DOORS.put("/dev/zero", () -> "zero " + new FileInputStream("/dev/zero").read());
        DOORS.put("/etc/passwd", () -> Files.readString(Path.of("/etc/passwd")).length() + " bytes");
    }

    static void writing() {
        DOORS.put("FileOutputStream", () -> { new FileOutputStream(canary).close(); return "done"; });
        DOORS.put("FileOutputStream append", () -> { new FileOutputStream(secret, true).write(1); return "done"; });
        DOORS.put("PrintWriter", () -> { new PrintWriter(canary).close(); return "done"; });
        DOORS.put("Files.writeString", () -> Files.writeString(Path.of(canary), "x"));
        DOORS.put("Files.copy", () -> Files.copy(Path.of(secret), Path.of(canary)));
        DOORS.put("Files.move", () -> Files.move(Path.of(secret), Path.of(canary)));
        DOORS.put("Files.delete", () -> { Files.delete(Path.of(secret)); return "done"; });
        DOORS.put("Files.createDirectory", () -> Files.createDirectory(Path.of(canary)));
        DOORS.put("Files.createSymbolicLink", () -> Files.createSymbolicLink(Path.of(canary), Path.of("/")));
        DOORS.put("Files.createLink", () -> Files.createLink(Path.of(canary), Path.of(secret)));
        DOORS.put("Files.createTempFile", () -> Files.createTempFile("raddle-door", ""));
        DOORS.put("Files.setPosixFilePermissions", () -> Files.setPosixFilePermissions(Path.of(secret), Set.of()));
        DOORS.put("Files.setLastModifiedTime", () -> Files.setLastModifiedTime(Path.of(secret), FileTime.fromMillis(0)));
        DOORS.put("write into the class path", () -> Files.writeString(Path.of(folder, "classes/canary"), "x"));
        DOORS.put("delete from the class path", () -> known(new File(folder, "classes/Doors.class").delete()));
        DOORS.put("RandomAccessFile rw", () -> { new RandomAccessFile(canary, "rw").write(1); return "done"; });
        DOORS.put("File.createNewFile", () -> known(new File(canary).createNewFile()));
        DOORS.put("File.mkdirs", () -> known(new File(canary).mkdirs()));
        DOORS.put("File.delete", () -> known(new File(secret).delete()));
        DOORS.put("File.renameTo", () -> known(new File(secret).renameTo(new File(canary))));
        DOORS.put("File.setReadOnly", () -> known(new File(secret).setReadOnly()));
        DOORS.put("File.setLastModified", () -> known(new File(secret).setLastModified(0)));
        DOORS.put("File.createTempFile", () -> File.createTempFile("raddle-door", ""));
        DOORS.put("FileLock", () -> FileChannel.open(Path.of(secret), StandardOpenOption.WRITE).lock());
        DOORS.put("FileHandler", () -> new java.util.logging.FileHandler(canary));
        DOORS.put("Preferences", () -> { java.util.prefs.Preferences.userRoot().flush(); return "done"; });
        DOORS.put("heap dump", () -> {
            Class<?> type = Class.forName("com.sun.management.HotSpotDiagnosticMXBean");
            Method dump = type.getMethod("dumpHeap", String.class, boolean.class);
            dump.invoke(ManagementFactory.getPlatformMXBean(type.asSubclass(java.lang.management.PlatformManagedObject.class)), canary + ".hprof", false);
            return "done";
        });
        DOORS.put("javac", () -> {
            Object compiler = Class.forName("javax.tools.ToolProvider").getMethod("getSystemJavaCompiler").invoke(null);
            Method run = Class.forName("javax.tools.Tool")
                    .getMethod("run", InputStream.class, OutputStream.class, OutputStream.class, String[].class);
            return known(run.invoke(compiler, null, null, null, new String[] {"-d", folder, folder + "/Hidden.java"}).equals(0));
        });
        DOORS.put("jar tool", () -> {
            int status = java.util.spi.ToolProvider.findFirst("jar").get().run(System.out, System.err, "cf", canary, folder);
            return status == 0 ? "done" : null;
        });
    }

    static void processes() {
        DOORS.put("Runtime.exec", () -> Runtime.getRuntime().exec(new String[] {"touch", canary}).waitFor());
        DOORS.put("ProcessBuilder", () -> new ProcessBuilder("touch", canary).start().waitFor());
        DOORS.put("ProcessBuilder.startPipeline", () -> ProcessBuilder.startPipeline(List.of(new ProcessBuilder("touch", canary))));
        DOORS.put("ProcessHandle.allProcesses", () -> known(ProcessHandle.allProcesses().count() > 1));
        DOORS.put("ProcessHandle.parent", () -> known(ProcessHandle.current().parent().isPresent()));
        DOORS.put("ProcessHandle.info", () -> known(ProcessHandle.current().info().command().isPresent()));
        DOORS.put("ProcessHandle.destroy", () -> known(ProcessHandle.of(Long.MAX_VALUE).map(ProcessHandle::destroy).orElse(false)));
        DOORS.put("attach", () -> {
            Class<?> machines = Class.forName("com.sun.tools.attach.VirtualMachine");
            return known(!((List<?>) machines.getMethod("list").invoke(null)).isEmpty());
        });
        DOORS.put("Signal.raise", () -> {
            Class<?> signal = Class.forName("sun.misc.Signal");
            signal.getMethod("raise", signal).invoke(null, signal.getConstructor(String.class).newInstance("TERM"));
            return "done";
        });
        DOORS.put("Desktop", () -> {
            Class<?> desktop = Class.forName("java.awt.Desktop");
            Object one = desktop.getMethod("getDesktop").invoke(null);
            desktop.getMethod("open", File.class).invoke(one, new File(secret));
            return "done";
        });
    }

    static void network() {
        DOORS.put("Socket", () -> new Socket("127.0.0.1", port));
        DOORS.put("Socket by address", () -> new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
        DOORS.put("SocketChannel", () -> SocketChannel.open(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)));
        DOORS.put("AsynchronousSocketChannel", () -> AsynchronousSocketChannel.open()
                .connect(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port)).get());
        DOORS.put("unix socket", () -> SocketChannel.open(UnixDomainSocketAddress.of(canary)));
        DOORS.put("ServerSocket", () -> new ServerSocket(0));
        DOORS.put("ServerSocketChannel", () -> ServerSocketChannel.open().bind(null));
        DOORS.put("DatagramSocket", () -> new DatagramSocket());
        DOORS.put("MulticastSocket", () -> new MulticastSocket());
        DOORS.put("URL", () -> new URL("http://127.0.0.1:" + port + "/").openStream().read());
        DOORS.put("HttpClient", () -> java.net.http.HttpClient.newHttpClient()
                .send(java.net.http.HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port)).build(),
                        java.net.http.HttpResponse.BodyHandlers.ofString()).statusCode());
        DOORS.put("InetAddress.getLocalHost", () -> {
            String name = InetAddress.getLocalHost().getHostName();
            return name.equals("localhost") ? null : name;
        });
        DOORS.put("InetAddress.getByName", () -> InetAddress.getByName("example.org"));
        DOORS.put("InetAddress.isReachable", () -> known(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}).isReachable(10)));
        DOORS.put("NetworkInterface", () -> known(NetworkInterface.getNetworkInterfaces().hasMoreElements()));
    }

    static void code() {
        DOORS.put("System.load", () -> { System.load(folder + "/library.so"); return "done"; });
        DOORS.put("System.loadLibrary", () -> { System.loadLibrary("door"); elsewhere(); return "done"; });
        DOORS.put("native method", () -> { elsewhere(); return "done"; });
        DOORS.put("Unsafe.getLong", () -> "memory " + raw("getLong", long.class).invoke(unsafe(), 4096L));
        DOORS.put("Unsafe.putLong", () -> "memory " + raw("putLong", long.class, long.class).invoke(unsafe(), 4096L, 1L));
        DOORS.put("Unsafe.copyMemory", () -> "memory " + raw("copyMemory", long.class, long.class, long.class).invoke(unsafe(), 4096L, 8192L, 8L));
        DOORS.put("Unsafe.getByte beyond", () -> {
            long block = (long) raw("allocateMemory", long.class).invoke(unsafe(), 16L);
            return "memory " + raw("getByte", long.class).invoke(unsafe(), block + (1L << 40));
        });
        DOORS.put("foreign memory", () -> {
            Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
            Object one = segment.getMethod("ofAddress", long.class).invoke(null, 4096L);
            one = segment.getMethod("reinterpret", long.class).invoke(one, 8L);
            return "memory " + Arrays.toString((byte[]) segment.getMethod("toArray", Class.forName("java.lang.foreign.ValueLayout$OfByte"))
                    .invoke(one, Class.forName("java.lang.foreign.ValueLayout").getField("JAVA_BYTE").get(null)));
        });
        DOORS.put("foreign function", () -> {
            Object linker = Class.forName("java.lang.foreign.Linker").getMethod("nativeLinker").invoke(null);
            Object lookup = Class.forName("java.lang.foreign.Linker").getMethod("defaultLookup").invoke(linker);
            return "function " + Class.forName("java.lang.foreign.SymbolLookup").getMethod("find", String.class).invoke(lookup, "getpid");
        });
        DOORS.put("URLClassLoader folder", () -> new URLClassLoader(new URL[] {new URL("file:" + folder + "/")}).loadClass("Hidden"));
        DOORS.put("URLClassLoader jar", () -> new URLClassLoader(new URL[] {new URL("file:" + folder + "/hidden.jar")}).loadClass("Hidden"));
        DOORS.put("URLClassLoader http", () -> new URLClassLoader(new URL[] {new URL("http://127.0.0.1:" + port + "/")}).loadClass("Hidden"));
        DOORS.put("resource above", () -> treasure(Doors.class.getResourceAsStream("/../secret")));
        DOORS.put("resource beside", () -> treasure(Doors.class.getResourceAsStream("../secret")));
        DOORS.put("resource link", () -> treasure(Doors.class.getResourceAsStream("/link")));
        DOORS.put("resource absolute", () -> treasure(ClassLoader.getSystemResourceAsStream(secret)));
        DOORS.put("module layer", () -> known(java.lang.module.ModuleFinder.of(Path.of(folder)).findAll().size() > 0));
    }

    static void surroundings() {
        DOORS.put("System.getenv", () -> System.getenv("RADDLE_TREASURE"));
        DOORS.put("System.getenv all", () -> System.getenv().isEmpty() ? null : System.getenv().toString());
        DOORS.put("ProcessBuilder.environment", () -> new ProcessBuilder().environment().get("RADDLE_TREASURE"));
        for (String name : List.of("user.home", "user.name", "user.dir", "java.io.tmpdir", "user.timezone", "user.language", "os.version", "sun.java.command")) {
            DOORS.put("property " + name, () -> {
                String value = System.getProperty(name);
                return value != null && value.contains("treasure") ? value : null;
            });
        }
        DOORS.put("all properties", () -> System.getProperties().toString().contains("treasure") ? "treasure" : null);
        DOORS.put("RuntimeMXBean", () -> ManagementFactory.getRuntimeMXBean().getSystemProperties().toString().contains("treasure") ? "treasure" : null);
        DOORS.put("Console", () -> System.console() == null ? null : System.console().readLine());
    }

    static String read(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        channel.read(buffer);
        return new String(buffer.array());
    }

    static Object known(boolean fact) {
        return fact ? "known" : null;
    }

    static String treasure(InputStream in) throws IOException {
        return in == null ? null : new String(in.readAllBytes());
    }

    static Object unsafe() throws Exception {
        Field field = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        field.setAccessible(true);
        return field.get(null);
    }

    static Method raw(String name, Class<?>... types) throws Exception {
        return Class.forName("sun.misc.Unsafe").getMethod(name, types);
    }

    public static void main(String[] args) {
        files();
        writing();
        processes();
        network();
        code();
        surroundings();
        if (args.length == 0) {
            DOORS.keySet().forEach(System.out::println);
            return;
        }
        folder = args[1];
        secret = folder + "/secret";
        canary = folder + "/canary";
        port = Integer.parseInt(args[2]);
        Object got;
        try {
            got = DOORS.get(args[0]).open();
        } catch (Throwable refused) {
            System.out.println("closed: " + refused);
            return;
        }
        System.out.println(got == null ? "closed" : "OPEN: " + got);
    }
}
