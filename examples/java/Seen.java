// As examples/c/seen.c, through seen_jni.c: javac -h . Seen.java, then compile seen_jni.c into libseen_jni.so.
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

public final class Seen {
    // Keys are ranges of one array: a batch crosses into C once.
    static native long create(long keys, double rate, String layout);
    static native void insert(long filter, byte[] text, long[] ends);
    static native byte[] mayContain(long filter, byte[] text, long[] ends);
    static native void save(long filter, String path);
    static native long load(String path);
    static native boolean isHealthy(long filter);
    static native void free(long filter);

    public static void main(String[] args) throws IOException {
        System.loadLibrary("seen_jni");
        byte[] input = System.in.readAllBytes();
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        long[] ends = new long[input.length + 2];
        int count = 0;
        for (int i = 0; i < input.length; ++i) {
            boolean isEnd = input[i] == '\n';
            if (!isEnd) text.write(input[i]);
            if (isEnd || i + 1 == input.length) ends[++count] = text.size();
        }
        ends = Arrays.copyOf(ends, count + 1);
        try {
            long filter;
            if (args[0].equals("write")) {
                filter = create(Long.parseLong(args[2]), Double.parseDouble(args[3]), args[4]);
                insert(filter, text.toByteArray(), ends);
                save(filter, args[1]);
            } else {
                filter = load(args[1]);
                for (byte answer : mayContain(filter, text.toByteArray(), ends)) System.out.println(answer);
                System.out.println(isHealthy(filter) ? "ok" : "not ok");
            }
            free(filter);
        } catch (IllegalStateException error) {
            System.err.println("seen: " + error.getMessage());
            System.exit(2);
        }
    }
}
