// Object graphs: a search tree with virtual visits, linked lists, expression trees; allocation heavy. One checksum.
public class Graph {
    interface Visitor {
        void visit(int key, int depth);
    }

    abstract static class Tree {
        abstract Tree insert(int key);
        abstract boolean contains(int key);
        abstract void walk(Visitor v, int depth);
        abstract int height();
    }

    static final class Empty extends Tree {
        static final Empty IT = new Empty();
        @Override Tree insert(int key) { return new Node(this, key, this); }
        @Override boolean contains(int key) { return false; }
        @Override void walk(Visitor v, int depth) { }
        @Override int height() { return 0; }
    }

    static final class Node extends Tree {
        final Tree left;
        final int key;
        final Tree right;
        Node(Tree left, int key, Tree right) {
            this.left = left;
            this.key = key;
            this.right = right;
        }
        @Override Tree insert(int k) {
            if (k < key) return new Node(left.insert(k), key, right);
            if (k > key) return new Node(left, key, right.insert(k));
            return this;
        }
        @Override boolean contains(int k) {
            return k == key || (k < key ? left.contains(k) : right.contains(k));
        }
        @Override void walk(Visitor v, int depth) {
            left.walk(v, depth + 1);
            v.visit(key, depth);
            right.walk(v, depth + 1);
        }
        @Override int height() { return 1 + Math.max(left.height(), right.height()); }
    }

    static final class Sum implements Visitor {
        long sum;
        @Override public void visit(int key, int depth) { sum = sum * 3 + key + depth; }
    }

    static final class Cell {
        int value;
        Cell next;
        Cell(int value, Cell next) { this.value = value; this.next = next; }
    }

    static Cell reverse(Cell c) {
        Cell r = null;
        while (c != null) {
            Cell n = c.next;
            c.next = r;
            r = c;
            c = n;
        }
        return r;
    }

    interface Expr {
        long eval(long x);
        Expr derive();
    }
    record Const(long v) implements Expr {
        public long eval(long x) { return v; }
        public Expr derive() { return new Const(0); }
    }
    record Var() implements Expr {
        public long eval(long x) { return x; }
        public Expr derive() { return new Const(1); }
    }
    record Add(Expr a, Expr b) implements Expr {
        public long eval(long x) { return a.eval(x) + b.eval(x); }
        public Expr derive() { return new Add(a.derive(), b.derive()); }
    }
    record Mul(Expr a, Expr b) implements Expr {
        public long eval(long x) { return a.eval(x) * b.eval(x); }
        public Expr derive() { return new Add(new Mul(a.derive(), b), new Mul(a, b.derive())); }
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 120;
        long check = 0;
        int seed = 7;
        for (int round = 0; round < rounds; round++) {
            Tree t = Empty.IT;
            for (int i = 0; i < 1500; i++) {
                seed = seed * 1664525 + 1013904223;
                t = t.insert((seed >>> 10) % 10_000);
            }
            int hits = 0;
            for (int i = 0; i < 10_000; i += 3) if (t.contains(i)) hits++;
            Sum s = new Sum();
            t.walk(s, 0);
            check = check * 31 + s.sum + hits + t.height();

            Cell list = null;
            for (int i = 0; i < 5000; i++) list = new Cell(i ^ round, list);
            list = reverse(list);
            for (Cell c = list; c != null; c = c.next) check = check * 5 + c.value;

            Expr e = new Var();
            for (int i = 1; i <= 5; i++) e = new Add(new Mul(e, new Var()), new Const(i));
            Expr d = e.derive().derive();
            for (int x = 0; x < 30; x++) check = check * 31 + d.eval(x) + e.eval(x);
        }
        System.out.println("graph " + check);
    }
}
