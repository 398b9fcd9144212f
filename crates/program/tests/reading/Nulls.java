import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Each test method fails with a NullPointerException; main prints where and with which message. */
public class Nulls {
    static class Node {
        Node next;
        Node[] nodes;
        int[][][] cube;
        int value;
        long wide;
        double[] doubles;
        String name;
        static Node root;
        static int[] numbers;
        Node self() { return next; }
        Node with(int a, long b, String c, Object d, String[][] e, int[] f, Map<String, String> g, StringBuilder h) { return null; }
        static Node make(Object... all) { return null; }
        static int index(int a) { return a; }
        private int secret() { return 1; }
        <T> T generic() { return null; }
    }
    interface Shape { Node node(Shape other); static Shape none() { return null; } }
    static class Sub extends Node { Node up() { return super.next.next; } Node call() { return super.self().next; } }
    record Pair(Node left, Node right) {}
    enum Color { RED, GREEN }
    static class Lunatic { static void L(Lunatic[] l, Long k) {} void Lx(Lunatic Lll, Long Ljava) {} }

    Node field;
    Node[] array = new Node[3];
    Object lock;
    Node node = new Node();
    static Object top;
    static String text;
    static int[] ints;

    // Actions
    static void callVirtual(String s) { s.length(); }
    static void callInterface(List<String> l) { l.get(0); }
    static void callPrivate(Node n) { n.secret(); }
    static void callObject(Object o) { o.hashCode(); }
    static void callManyArguments(Node n) { n.with(1, 2L, "c", null, null, null, null, null); }
    static void callSubstring(String s) { s.substring(1, 2); }
    static void callOnArray(int[] a) { a.clone(); }
    static void callOnArrays(String[][] a) { a.clone(); }
    static void callOnArrayObject(String[][] a) { a.getClass(); }
    static void callL(Lunatic l) { l.Lx(null, null); }
    static void readField(Node n) { int x = n.value; }
    static void readWide(Node n) { long x = n.wide; }
    static void writeField(Node n) { n.value = 1; }
    static void writeWide(Node n) { n.wide = 1; }
    static void writeReference(Node n) { n.next = new Node(); }
    static void increment(Node n) { n.value++; }
    static void incrementWide(Node n) { n.wide += 3; }
    static void loadInt(int[] a) { int x = a[0]; }
    static void loadLong(long[] a) { long x = a[1]; }
    static void loadFloat(float[] a) { float x = a[2]; }
    static void loadDouble(double[] a) { double x = a[3]; }
    static void loadObject(Object[] a) { Object x = a[4]; }
    static void loadByte(byte[] a) { byte x = a[5]; }
    static void loadBoolean(boolean[] a) { boolean x = a[6]; }
    static void loadChar(char[] a) { char x = a[-1]; }
    static void loadShort(short[] a) { short x = a[1000]; }
    static void storeInt(int[] a) { a[0] = 1; }
    static void storeLong(long[] a) { a[1] = 1; }
    static void storeFloat(float[] a) { a[2] = 1; }
    static void storeDouble(double[] a) { a[3] = 1; }
    static void storeObject(Object[] a) { a[4] = "x"; }
    static void storeByte(byte[] a) { a[5] = 1; }
    static void storeBoolean(boolean[] a) { a[6] = true; }
    static void storeChar(char[] a) { a[7] = 1; }
    static void storeShort(short[] a) { a[8] = 1; }
    static void arrayLength(int[] a) { int x = a.length; }
    static void throwing(RuntimeException e) { throw e; }
    static void throwNull() { throw null; }
    static void synchronizing(Object o) { synchronized (o) { o.hashCode(); } }
    static void unboxing(Integer i) { int x = i; }
    static void unboxingLong(Long i) { long x = i + 1; }
    static void foreach(List<String> l) { for (String s : l) s.length(); }
    static void foreachArray(int[] a) { for (int s : a) s++; }
    static void switchString(String s) { switch (s) { case "a": return; default: return; } }
    static void switchEnum(Color c) { switch (c) { case RED: return; default: return; } }
    static void concatenated(Node n) { String s = "a" + n.name + 1; }

    // Sources
    static void localVariable() { String s = null; s.length(); }
    static void localFar(long a, double b, int c, String s) { s.length(); }
    static void localVeryFar(long a, double b, int c) { int d = 1, e = 2, f = 3, g = 4; String s = null; s.length(); }
    static void parameterWritten(String s) { s = null; s.length(); }
    static void parameterWrittenElsewhere(String s, int i) { if (i == 1) { s = "a"; } s.length(); }
    static void parameterWrittenLater(String s, int i) { do { s.length(); s = "b"; } while (i++ < 3); }
    static void parameterIncremented(int[] s, int i) { i++; s[i]++; }
    static void parameterNotIncremented(int[] s, int i) { s[i]++; i++; }
    static void parameterWide(long a, int[] s, double b, int i) { s[i]++; }
    static void parameterWideWritten(long a, int[] s, double b, int i) { b = 2; s[i]++; a = 3; }
    static void writtenBetween(String s) { s.concat(s = "x"); }
    static void writtenBetweenIndex(int i, Node[] n) { n = new Node[1]; n[i].with(i = 3, 2L, "c", null, null, null, null, null); }
    static void thisLike(int i, Node n) { n.with(i++, 2L, "c", n = null, null, null, null, null); }
    static void catchWrites(String s) { try { text.length(); } catch (NullPointerException e) { s.length(); s = ""; } }
    static void catchSees(String s) { try { s = null; text.length(); } catch (NullPointerException e) { s.length(); } }
    static void branchBack(int i, String s) { while (true) { if (i++ == 1) { s.length(); } else { s = null; } } }
    static void branchOver(int i, String s, String t) { if (i == 1) { s = ""; i = 2; } else if (i == 2) { i = 3; } else { s.length(); } }
    static void branchShared(int i, String s) { a: { if (i == 1) { s = ""; break a; } if (i == 2) { break a; } s.length(); } }
    static void branchMerged(int i, String s) { a: { if (i == 1) { s = ""; break a; } if (i != 2) { s.length(); } } }
    static void switchShared(int i, String s) { a: { switch (i) { case 1: s = ""; break a; case 2: break a; default: } if (i == 4) break a; s.length(); } }
    static void conditionalArgument(boolean b, String s) { s.substring(b ? 1 : 2, b ? 3 : 4); }
    static void conditionalTwice(boolean b, Node n) { (b ? n : n).self(); }
    static void andThen(Node n, boolean b) { n.with(b && n != null ? 1 : 0, 2, b ? "a" : "c", n, null, null, null, null); }
    static void storeWide(long[] a, double[] b, int i) { a[i] = b == null ? 1L : (long) b[0]; }
    static void bigLocals(double d, float f, long l, int[] i) { i[(int) d] = (int) (f * l); }
    void thisCompare() { if (this.field.value > node.value) { field = null; } }
    static void newArrays(int n) { (new int[n + 1][][])[0][1][0] = 1; }
    static void newArrayElement() { (new Node[1])[0].self(); }
    static void stringSwitchExpression(Node n) { String s = switch (n.name) { case "a" -> "b"; default -> "c"; }; }
    static void instance(Object o) { if (o instanceof Node n && n.next != null) { n.self(); } else { o.notify(); } }
    static void divided(Node n) { int x = 5 / n.value % 3; double y = -n.doubles[1] * 2; }
    static void negated(Node n) { double y = -n.doubles[1] * 2; }
    static void shifted(long[] a, int i) { long x = a[i << 2] >>> 3 ^ ~a[1]; }
    static void compared(double[] a, float[] b, long c) { if (c < 5L && 1.5 > a[0]) { text = ""; } }
    static void tryResource(Node n) throws Exception { try (AutoCloseable c = () -> { }) { n.self(); } }
    static void nestedTry(String s) { try { try { s.length(); } finally { text = null; } } finally { ints = null; } }
    void instanceParameter(String s) { s.length(); }
    void instanceParameters(long a, String s) { s.length(); }
    void thisField() { field.self(); }
    void thisFieldField() { node.next.value = 3; }
    void thisFieldDeep() { node.next = new Node(); node.next.next.next.next.next.next.value = 3; }
    void thisDeep6() { Node n = node; for (int i = 0; i < 9; i++) { n.next = new Node(); n = n.next; } node.next.next.next.next.next.next.next.next.next.next.value = 3; }
    void thisArray() { array[1].self(); }
    void thisArrayIndex(int i) { array[i + 1].self(); }
    void thisArrayArray() { array[Node.index(1)].self(); }
    void thisArrayField() { array[node.value].self(); }
    void thisLock() { synchronized (lock) { lock = null; } }
    static void staticField() { top.hashCode(); }
    static void staticText() { text.length(); }
    static void staticOther() { Node.root.self(); }
    static void staticNumbers() { Node.numbers[3]++; }
    static void returned() { Node.make(1, "a").self(); }
    static void returnedVirtual() { new Node().self().self(); }
    static void returnedInterface() { Map.of().get("a").toString(); }
    static void returnedField() { new Node().self().next.next = null; }
    static void returnedInField() { new Node().self().next = null; }
    static void returnedStatic() { Shape.none().node(null); }
    static void returnedManyTypes() { new Node().with(1, 2L, "c", null, null, null, null, null).self(); }
    static void genericCast() { new Node().<String>generic().length(); }
    static void genericField() { List<Node> l = Arrays.asList(new Node[1]); l.get(0).next = null; }
    static void casted(Object o) { ((String) o).length(); }
    static void castedTwice(Object o) { ((Node) (Object) ((Node) o).next).self(); }
    static void ternary(boolean b, String s, String t) { (b ? s : t).length(); }
    static void ternaryIndex(boolean b, int[] s, int i, int j) { s[b ? i : j]++; }
    static void ternaryIndexSource(boolean b, Node[] s, int i, int j) { s = new Node[1]; s[b ? i : j].self(); }
    static void assignment(String s) { String t; (t = s).length(); }
    static void chainedAssign(Node n) { Node m = n; m = n = null; m.self(); }
    static void duplicated(Node n) { n.next = n.next = null; }
    static void arrayCompound(Node n, int i) { n.doubles[i] += 2; }
    static void cube0(int[][][] c, int i) { c[i][1][2]++; }
    static void cube1() { int[][][] c = new int[1][][]; c[0][1][2]++; }
    static void cube2() { int[][][] c = new int[1][1][]; c[0][0][2]++; }
    static void cube3(int i) { int[][][] c = new int[1][1][]; c[i][i][i] = c[0][i][0]; }
    static void deepArray() { Object[][][][][][] d = new Object[1][1][1][1][1][]; d[0][0][0][0][0][0] = 1; }
    static void deepArray6() { Object[][][][][][][] d = new Object[1][1][1][1][1][1][]; d[0][0][0][0][0][0][0] = 1; }
    static void deepArray7() { Object[][][][][][][][] d = new Object[1][1][1][1][1][1][1][]; d[0][0][0][0][0][0][0][0] = 1; }
    static void indexNest(int[] x) { Node[] a = new Node[1]; int[] b = {0}; a[b[b[b[b[b[b[b[0]]]]]]]].self(); }
    static void indexField(Node n) { Node[] a = new Node[1]; n = new Node(); a[n.value].self(); }
    static void indexFieldDeep() { Node[] a = new Node[1]; Node n = new Node(); n.next = n; a[n.next.next.next.next.next.next.value].self(); }
    static void indexStatic() { Node[] a = new Node[1]; ints = new int[1]; a[ints[0]].self(); }
    static void indexCall() { Node[] a = new Node[1]; a[Node.index(0)].self(); }
    static void indexCallArguments() { Node[] a = new Node[1]; a[Math.max(0, -1)].self(); }
    static void indexByte(byte b) { Node[] a = new Node[1]; a[b].self(); }
    static void indexCast(long b) { Node[] a = new Node[1]; a[(int) b].self(); }
    static void indexChar(char b) { Node[] a = new Node[1]; a[(byte) b].self(); }
    static void indexBig() { Node[] a = new Node[100000]; a[99999].self(); }
    static void indexSmall() { Node[] a = new Node[300]; a[200].self(); }
    static void indexByteConstant() { Node[] a = new Node[300]; a[100].self(); }
    static void indexLength(int[] x) { Node[] a = new Node[1]; x = new int[0]; a[x.length].self(); }
    static void indexIncrement(int i) { Node[] a = new Node[2]; a[i++].self(); }
    static void indexPreIncrement(int i) { Node[] a = new Node[2]; a[++i].self(); }
    static void constantNull() { ((String) null).length(); }
    static void constantArray() { ((int[]) null)[0] = 1; }
    static void superField() { new Sub().up(); }
    static void superCall() { new Sub().call(); }
    static void recordComponent() { new Pair(null, null).left().self(); }
    static void enumValue() { Color c = null; c.name(); }
    static void inTry(String s) { try { s.length(); } finally { text = null; } }
    static void inCatch(String s) { try { throw new Error(); } catch (Error e) { s.length(); } }
    static void inFinally(String s) { try { text = null; } finally { s.length(); } }
    static void inLoop(String s) { for (int i = 0; i < 2; i++) { if (i == 1) { s.length(); } } }
    static void inLoopLocal() { String s = "a"; for (int i = 0; i < 2; i++) { s.length(); s = null; } }
    static void inSwitch(int i, String s) { switch (i) { case 0: s.length(); break; case 1: s = "a"; case 1000: s = ""; default: s.trim(); } }
    static void inSparseSwitch(int i, String s) { switch (i) { case 1: s = "a"; break; case 5000000: s = "b"; } s.trim(); }
    static void afterSwitch(int i, String s, String t) { String u; switch (i) { case 7: u = s; break; case 8: u = t; break; default: u = null; } u.length(); }
    static void switchExpression(int i, String s) { (switch (i) { case 1 -> "a"; case 2 -> s; default -> s; }).length(); }
    static void switchExpressionOne(int i, String s) { s.concat(switch (i) { case 1 -> "a"; default -> "b"; }); }
    static void branchWrites(int i, String s, String t) { if (i == 0) { t = ""; } else if (i == 1) { s = ""; } if (i == 7) { s = "c"; } else { s.length(); } }
    static void branchWrites2(int i, String s, String t) { if (i == 1) { s = ""; } else if (i == 2) { t.length(); } else { s.length(); } }
    static void loopBreaks(int i, String s) { while (i < 5) { if (i == 3) { s = ""; break; } if (i == 0) break; i++; } s.length(); }
    static void shortCircuit(boolean b, String s, Node n) { if (b || s.isEmpty() && n.next == null) { text = null; } }
    static void lambda() { Supplier<Node> s = () -> null; s.get().self(); }
    static void inLambda() { Runnable r = () -> text.length(); r.run(); }
    static void capturing(String s) { Runnable r = () -> s.length(); r.run(); }
    static void boundReference(String s) { Supplier<Integer> f = s::length; f.get(); }
    static void comparing() { Comparator<Node> c = Comparator.comparing(n -> n.name); c.compare(null, null); }
    static void explicit() { throw new NullPointerException(); }
    static void explicitMessage() { throw new NullPointerException("mine"); }
    static void explicitLater() { NullPointerException e = new NullPointerException(); throw e; }
    static void required() { java.util.Objects.requireNonNull(null); }
    static void innerOuter() { Nulls n = null; n.new Inner(); }
    static void assertion(Node n) { long x = 1L + n.wide * 2; }
    static void longIndex(int[] a, long l) { a[(int) (l + 1)] = 2; }
    static void stringBuilder(StringBuilder b) { b.append("a").append(1); }
    static void stringBuilderReturned(StringBuilder b) { new Nulls().builder(null, b).append(1).append('c'); }
    StringBuilder builder(StringBuilder[] a, StringBuilder b) { return b; }
    static void varargs(Object[] o) { String.format("x", o[0]); }
    static void nested() { new Nulls().field.next.self().next.nodes[1].next = null; }
    static void nestedReturn() { Node n = new Node(); n.next = n; n.self().self().self().nodes[1].next = null; }
    static void manyLocals(String s) {
        int a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, a8 = 8, a9 = 9;
        long b0 = 0, b1 = 1, b2 = 2, b3 = 3, b4 = 4, b5 = 5, b6 = 6, b7 = 7, b8 = 8, b9 = 9;
        long c0 = 0, c1 = 1, c2 = 2, c3 = 3, c4 = 4, c5 = 5, c6 = 6, c7 = 7, c8 = 8, c9 = 9;
        long d0 = 0, d1 = 1, d2 = 2, d3 = 3, d4 = 4, d5 = 5, d6 = 6, d7 = 7, d8 = 8, d9 = 9;
        Node[] n = new Node[1];
        n[a0].self();
    }
    static void manyParameters(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m, long n, long o, long p,
        long q, long r, long s, long t, long u, long v, long w, long x, long y, long z, long aa, long ab, long ac, long ad, long ae, String low, String high, String higher) {
        if (low == null) { higher.length(); }
    }
    static void manyParametersLow(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m, long n, long o, long p,
        long q, long r, long s, long t, long u, long v, long w, long x, long y, long z, long aa, long ab, long ac, long ad, long ae, String low, String high) {
        high.length();
    }
    static void wideLocals() {
        double[] a = new double[1];
        long l00=0,l01=0,l02=0,l03=0,l04=0,l05=0,l06=0,l07=0,l08=0,l09=0,l10=0,l11=0,l12=0,l13=0,l14=0,l15=0,l16=0,l17=0,l18=0,l19=0;
        long m00=0,m01=0,m02=0,m03=0,m04=0,m05=0,m06=0,m07=0,m08=0,m09=0,m10=0,m11=0,m12=0,m13=0,m14=0,m15=0,m16=0,m17=0,m18=0,m19=0;
        long n00=0,n01=0,n02=0,n03=0,n04=0,n05=0,n06=0,n07=0,n08=0,n09=0,n10=0,n11=0,n12=0,n13=0,n14=0,n15=0,n16=0,n17=0,n18=0,n19=0;
        long o00=0,o01=0,o02=0,o03=0,o04=0,o05=0,o06=0,o07=0,o08=0,o09=0,o10=0,o11=0,o12=0,o13=0,o14=0,o15=0,o16=0,o17=0,o18=0,o19=0;
        long p00=0,p01=0,p02=0,p03=0,p04=0,p05=0,p06=0,p07=0,p08=0,p09=0,p10=0,p11=0,p12=0,p13=0,p14=0,p15=0,p16=0,p17=0,p18=0,p19=0;
        long q00=0,q01=0,q02=0,q03=0,q04=0,q05=0,q06=0,q07=0,q08=0,q09=0,q10=0,q11=0,q12=0,q13=0,q14=0,q15=0,q16=0,q17=0,q18=0,q19=0;
        long r00=0,r01=0,r02=0,r03=0,r04=0,r05=0,r06=0,r07=0,r08=0,r09=0,r10=0,r11=0,r12=0,r13=0,r14=0,r15=0,r16=0,r17=0,r18=0,r19=0;
        Node[] far = new Node[1]; int index = 0; index += 1000; index -= 1000;
        far[index].next.self();
    }
    class Inner { Inner() { field.next.self(); } }

    static sun.misc.Unsafe unsafe;

    /** The bytecode index of the top frame: the VM's own backtrace is the second word of a Throwable, its second array. */
    static int position(Throwable t) {
        Object[] backtrace = (Object[]) unsafe.getObject(t, 16L);
        return ((int[]) backtrace[1])[0] >>> 16;
    }

    public static void main(String[] arguments) throws Exception {
        Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        f.setAccessible(true);
        unsafe = (sun.misc.Unsafe) f.get(null);
        Method[] methods = Nulls.class.getDeclaredMethods();
        Arrays.sort(methods, Comparator.comparing(Method::getName));
        for (Method m : methods) {
            if (m.isSynthetic() || List.of("main", "position", "builder").contains(m.getName())) continue;
            Object[] values = new Object[m.getParameterCount()];
            for (int i = 0; i < values.length; i++) {
                values[i] = Array.get(Array.newInstance(m.getParameterTypes()[i], 1), 0);
            }
            Object receiver = Modifier.isStatic(m.getModifiers()) ? null : new Nulls();
            try {
                m.invoke(receiver, values);
                System.out.println("none " + m.getName());
            } catch (InvocationTargetException e) {
                NullPointerException n = (NullPointerException) e.getCause();
                int bci = position(n);
                StackTraceElement top = n.getStackTrace()[0];
                System.out.println(top.getClassName() + "\t" + top.getMethodName() + "\t" + bci + "\t" + m.getName() + "\t" + n.getMessage());
            }
        }
    }
}
