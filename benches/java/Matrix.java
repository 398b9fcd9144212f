// Floating point on double arrays: products, elimination, a stencil, Mandelbrot; prints one checksum.
public class Matrix {
    static double[][] make(int n, int salt) {
        double[][] m = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) m[i][j] = ((i * 31 + j * 17 + salt) % 23 - 11) / 4.0 + (i == j ? n : 0);
        }
        return m;
    }

    static double[][] times(double[][] a, double[][] b) {
        int n = a.length;
        double[][] c = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double s = 0;
                for (int k = 0; k < n; k++) s += a[i][k] * b[k][j];
                c[i][j] = s;
            }
        }
        return c;
    }

    static double determinant(double[][] a) {
        int n = a.length;
        double det = 1;
        for (int p = 0; p < n; p++) {
            int best = p;
            for (int i = p + 1; i < n; i++) if (Math.abs(a[i][p]) > Math.abs(a[best][p])) best = i;
            if (best != p) {
                double[] t = a[p];
                a[p] = a[best];
                a[best] = t;
                det = -det;
            }
            det *= a[p][p] / n;
            for (int i = p + 1; i < n; i++) {
                double f = a[i][p] / a[p][p];
                for (int j = p; j < n; j++) a[i][j] -= f * a[p][j];
            }
        }
        return det;
    }

    static double stencil(int n, int steps) {
        double[] cur = new double[n * n];
        double[] next = new double[n * n];
        cur[n * n / 2] = 1000;
        for (int s = 0; s < steps; s++) {
            for (int y = 1; y < n - 1; y++) {
                for (int x = 1; x < n - 1; x++) {
                    int i = y * n + x;
                    next[i] = (cur[i - 1] + cur[i + 1] + cur[i - n] + cur[i + n]) * 0.25;
                }
            }
            double[] t = cur;
            cur = next;
            next = t;
        }
        double sum = 0;
        for (double v : cur) sum += v * v;
        return sum;
    }

    static int mandelbrot(int n, int limit) {
        int total = 0;
        for (int py = 0; py < n; py++) {
            for (int px = 0; px < n; px++) {
                double cr = px * 3.0 / n - 2.0;
                double ci = py * 2.0 / n - 1.0;
                double r = 0;
                double i = 0;
                int it = 0;
                while (it < limit && r * r + i * i <= 4) {
                    double t = r * r - i * i + cr;
                    i = 2 * r * i + ci;
                    r = t;
                    it++;
                }
                total += it;
            }
        }
        return total;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 300;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            double[][] c = times(make(40, round), make(40, round + 5));
            check = check * 31 + Double.doubleToLongBits(c[3][7] + c[39][39]);
            check = check * 31 + Double.doubleToLongBits(determinant(c));
            check = check * 31 + Double.doubleToLongBits(stencil(40, 20));
            check = check * 31 + mandelbrot(40, 40);
        }
        System.out.println("matrix " + check);
    }
}
