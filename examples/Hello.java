import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Three tasks on two threads, and a greeting. */
public class Hello {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        int sum = 0;
        for (int n : new int[] {10, 20, 12}) {
            Future<Integer> answer = pool.submit(() -> n);
            sum += answer.get();
        }
        pool.shutdown();
        System.out.println("Hello from " + Thread.currentThread().getName() + ": " + sum);
    }
}
