import gov.nasa.jpf.vm.Verify;

/** The calls that need Java Pathfinder itself, one by one. Without arguments, how many there are. */
public class Unsupported {
    static final Runnable[] CALLS = {
        () -> Verify.getInt("key"),
        () -> Verify.getDouble("key"),
        () -> Verify.getObject("key"),
        () -> Verify.randomObject("Type"),
        () -> Verify.getProperty("key"),
        () -> Verify.getHeuristicSearchValue(),
        () -> Verify.isShared("object"),
        () -> Verify.terminateSearch(),
        () -> Verify.storeTraceAndTerminate("file", "comment"),
        () -> Verify.storeTraceAndTerminateIf(true, "file", "comment"),
        () -> Verify.createFromJSON(String.class, "{}"),
        () -> Verify.writeObjectToFile("object", "file"),
        () -> Verify.readObjectFromFile(String.class, "file"),
        () -> Verify.getFieldAttribute("object", "field"),
        () -> Verify.getFieldAttributes("object", "field"),
        () -> Verify.getLocalAttribute("name"),
        () -> Verify.getLocalAttributes("name"),
        () -> Verify.getElementAttribute(new int[1], 0),
        () -> Verify.getElementAttributes(new int[1], 0),
        () -> Verify.getObjectAttribute("object"),
        () -> Verify.getObjectAttributes("object"),
        () -> Verify.incrementCounter(64),
    };

    public static void main(String[] args) {
        if (args.length == 0) {
            System.out.println(CALLS.length);
        } else {
            CALLS[Integer.parseInt(args[0])].run();
        }
    }
}
