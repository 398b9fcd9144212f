// String work: builders, concatenation, substrings, splitting, hashing, searching; prints one checksum.
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

public class Strings {
    static final String TEXT = "the quick brown fox jumps over the lazy dog and runs away from the angry bear";

    static long builders(int n) {
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < n; i++) {
            sb.append(i).append(':').append((char) ('a' + i % 26)).append(i % 2 == 0).append(' ');
            if (sb.length() > 500) {
                sb.delete(0, 250);
                sb.insert(10, "##");
            }
        }
        return sb.reverse().toString().hashCode();
    }

    static long concat(int n) {
        long h = 0;
        String s = "";
        for (int i = 0; i < n; i++) {
            s = s + i + "," + (char) ('A' + i % 20);
            if (s.length() > 60) s = s.substring(s.length() - 10);
            h = h * 31 + s.hashCode();
        }
        return h;
    }

    static long words(int n) {
        Map<String, Integer> freq = new HashMap<>();
        for (int i = 0; i < n; i++) {
            for (String w : TEXT.split(" ")) freq.merge(w + i % 3, w.length(), Integer::sum);
        }
        long sum = 0;
        for (Map.Entry<String, Integer> e : freq.entrySet()) sum += (long) e.getKey().hashCode() * e.getValue();
        return sum;
    }

    static long scan(int n) {
        long h = 0;
        for (int i = 0; i < n; i++) {
            String t = TEXT.substring(i % 20);
            int vowels = 0;
            for (int k = 0; k < t.length(); k++) {
                char c = t.charAt(k);
                if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u') vowels++;
            }
            h += vowels + t.indexOf("fox") + t.lastIndexOf('r') + (t.contains("angry") ? 3 : 5);
            h = h * 7 + (t.startsWith("quick") ? 1 : 0) + t.compareTo(TEXT);
        }
        return h;
    }

    static long cases(int n) {
        long h = 0;
        for (int i = 0; i < n; i++) {
            String u = TEXT.toUpperCase(Locale.ROOT).replace('E', 'e').replace("THe", "a");
            h = h * 31 + u.hashCode() + u.trim().length();
            h += String.join("-", "x", Integer.toHexString(i), Long.toString(i * 77L)).hashCode();
            h ^= u.equalsIgnoreCase(TEXT) ? 1 : 2;
            h += Integer.parseInt(Integer.toString(i * 13));
            for (byte b : u.getBytes(java.nio.charset.StandardCharsets.UTF_8)) h += b;
        }
        return h;
    }

    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 42;
        long check = 0;
        for (int round = 0; round < rounds; round++) {
            check = check * 31 + builders(1500);
            check = check * 31 + concat(1000);
            check = check * 31 + words(60);
            check = check * 31 + scan(200);
            check = check * 31 + cases(150);
        }
        System.out.println("strings " + check);
    }
}
