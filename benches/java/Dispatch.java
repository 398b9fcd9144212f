// Calls of every kind: megamorphic interface and virtual calls, lambdas, method references, default methods. One checksum.
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

public class Dispatch {
    interface Shape {
        int area();
        default int twice() { return area() * 2; }
    }
    static class Square implements Shape {
        final int s;
        Square(int s) { this.s = s; }
        public int area() { return s * s; }
    }
    static class Rect implements Shape {
        final int w;
        final int h;
        Rect(int w, int h) { this.w = w; this.h = h; }
        public int area() { return w * h; }
        @Override public int twice() { return w * h + h * w; }
    }
    static class Cube extends Square {
        Cube(int s) { super(s); }
        @Override public int area() { return super.area() * 6; }
    }
    record Line(int n) implements Shape {
        public int area() { return 0; }
    }
    enum Unit implements Shape {
        ONE { public int area() { return 1; } },
        TEN { public int area() { return 10; } };
    }
    abstract static class Op {
        abstract int apply(int a);
        int again(int a) { return apply(apply(a)); }
    }
    static class Inc extends Op { int apply(int a) { return a + 1; } }
    static class Dbl extends Op { int apply(int a) { return a * 2; } }
    static class Neg extends Op { int apply(int a) { return -a; } }
    static class Xor extends Dbl { @Override int apply(int a) { return super.apply(a) ^ 0x55; } }

    static int half(int a) { return a / 2; }
    int base = 3;
    int addBase(int a) { return a + base; }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 700;
        Shape[] shapes = {new Square(3), new Rect(2, 5), new Cube(2), new Line(4), Unit.ONE, Unit.TEN, () -> 42};
        Op[] ops = {new Inc(), new Dbl(), new Neg(), new Xor()};
        Dispatch d = new Dispatch();
        int shift = d.base;
        IntUnaryOperator[] unary = {a -> a + 1, a -> a << shift, Dispatch::half, d::addBase, Math::abs,
            IntUnaryOperator.identity().andThen(a -> a ^ 9)};
        IntBinaryOperator[] binary = {Integer::sum, Math::max, (a, b) -> a * 31 + b};
        Function<Integer, Integer> boxed = a -> a + 1;
        Function<Integer, Integer> chain = boxed.compose((Integer a) -> a * 2).andThen(a -> a - 3);
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            int x = round;
            for (int i = 0; i < 1000; i++) {
                Shape s = shapes[i % shapes.length];
                check += s.area() + s.twice();
                x = ops[i & 3].apply(x);
                x = ops[(i >> 2) & 3].again(x) & 0xffff;
                x = unary[i % unary.length].applyAsInt(x) & 0xffff;
                x = binary[i % 3].applyAsInt(x, i) & 0xffff;
                check = check * 31 + x;
            }
            for (int i = 0; i < 200; i++) {
                int k = i;
                Supplier<Integer> made = () -> k + d.base;
                check = check * 31 + chain.apply(i) + made.get();
            }
        }
        System.out.println("dispatch " + check);
    }
}
