// Guava's side of the live tests: makes a filter from the keys on standard input, or asks one.
//
//   make OUT KEYS RATE FUNNEL STRATEGY    writes OUT; STRATEGY is 0 (MITZ_32) or 1 (MITZ_64)
//   ask FUNNEL FILE...                    one line for each key, one digit for each FILE: 1 maybe, 0 no
//   --bench                               one line of JSON
//
// A key is a line: hexadecimal for the funnel `bytes`, else the number or the text itself.
import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;

public final class GuavaPeer {
  private record KeyType<K>(Funnel<? super K> funnel, Function<String, K> parse) {}

  private static KeyType<?> keyType(String name) {
    switch (name) {
      case "bytes":
        return new KeyType<byte[]>(Funnels.byteArrayFunnel(), GuavaPeer::fromHex);
      case "i32":
        return new KeyType<Integer>(Funnels.integerFunnel(), Integer::valueOf);
      case "i64":
        return new KeyType<Long>(Funnels.longFunnel(), Long::valueOf);
      case "utf16":
        return new KeyType<String>(Funnels.unencodedCharsFunnel(), text -> text);
      default:
        throw new IllegalArgumentException("no funnel is called " + name);
    }
  }

  private static byte[] fromHex(String text) {
    return java.util.HexFormat.of().parseHex(text);
  }

  private static <K> List<K> readKeys(KeyType<K> type) throws IOException {
    List<K> keys = new ArrayList<>();
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      keys.add(type.parse().apply(line));
    }
    return keys;
  }

  // create() offers only the newer strategy. readFrom() honours both: the strategy is the first byte.
  private static <K> BloomFilter<K> create(Funnel<? super K> funnel, long keys, double rate, int strategy)
      throws IOException {
    var out = new ByteArrayOutputStream();
    BloomFilter.create(funnel, keys, rate).writeTo(out);
    byte[] bytes = out.toByteArray();
    bytes[0] = (byte) strategy;
    @SuppressWarnings("unchecked")
    var filter = (BloomFilter<K>) BloomFilter.readFrom(new ByteArrayInputStream(bytes), funnel);
    return filter;
  }

  private static <K> void make(KeyType<K> type, String[] arguments) throws IOException {
    BloomFilter<K> filter = create(type.funnel(), Long.parseLong(arguments[2]),
        Double.parseDouble(arguments[3]), Integer.parseInt(arguments[5]));
    for (K key : readKeys(type)) {
      filter.put(key);
    }
    try (var out = Files.newOutputStream(Path.of(arguments[1]))) {
      filter.writeTo(out);
    }
  }

  private static <K> void ask(KeyType<K> type, List<String> paths) throws IOException {
    List<BloomFilter<K>> filters = new ArrayList<>();
    for (String path : paths) {
      try (var in = Files.newInputStream(Path.of(path))) {
        @SuppressWarnings("unchecked")
        var filter = (BloomFilter<K>) BloomFilter.readFrom(in, type.funnel());
        filters.add(filter);
      }
    }
    var answers = new StringBuilder();
    for (K key : readKeys(type)) {
      for (BloomFilter<K> filter : filters) {
        answers.append(filter.mightContain(key) ? '1' : '0');
      }
      answers.append('\n');
    }
    System.out.print(answers);
  }

  private static byte[][] benchKeys(long seed, int count) {
    var random = new SplittableRandom(seed);
    byte[][] keys = new byte[count][16];
    for (byte[] key : keys) {
      random.nextBytes(key);
    }
    return keys;
  }

  private static long countMaybe(BloomFilter<byte[]> filter, byte[][] keys) {
    long maybe = 0;
    for (byte[] key : keys) {
      maybe += filter.mightContain(key) ? 1 : 0;
    }
    return maybe;
  }

  private static double median(double[] values) {
    double[] last = Arrays.copyOfRange(values, values.length - 3, values.length);
    Arrays.sort(last);
    return last[1];
  }

  private static void bench() throws IOException {
    final int count = 1_000_000;
    final int repetitions = 6; // three to warm the JVM, three to measure
    byte[][] present = benchKeys(1, count);
    byte[][] absent = benchKeys(2, count);
    double[] add = new double[repetitions];
    double[] hit = new double[repetitions];
    double[] miss = new double[repetitions];
    double fpr = 0;
    double bitsPerKey = 0;
    for (int i = 0; i < repetitions; ++i) {
      BloomFilter<byte[]> filter = BloomFilter.create(Funnels.byteArrayFunnel(), count, 0.01);
      long start = System.nanoTime();
      for (byte[] key : present) {
        filter.put(key);
      }
      long added = System.nanoTime();
      long found = countMaybe(filter, present);
      long hits = System.nanoTime();
      long wrong = countMaybe(filter, absent);
      long misses = System.nanoTime();
      if (found != count) {
        throw new IllegalStateException("a key that was put is not contained");
      }
      add[i] = (double) (added - start) / count;
      hit[i] = (double) (hits - added) / count;
      miss[i] = (double) (misses - hits) / count;
      fpr = (double) wrong / count;
      var bytes = new ByteArrayOutputStream();
      filter.writeTo(bytes);
      bitsPerKey = (bytes.size() - 6) * 8.0 / count; // six bytes of header
    }
    System.out.printf(Locale.ROOT,
        "{\"peer\": \"guava\", \"add_ns\": %.2f, \"hit_ns\": %.2f, \"miss_ns\": %.2f, "
            + "\"keys\": %d, \"fpr\": %.6f, \"bits_per_key\": %.3f}%n",
        median(add), median(hit), median(miss), count, fpr, bitsPerKey);
  }

  public static void main(String[] arguments) throws IOException {
    switch (arguments[0]) {
      case "make":
        make(keyType(arguments[4]), arguments);
        break;
      case "ask":
        ask(keyType(arguments[1]), Arrays.asList(arguments).subList(2, arguments.length));
        break;
      case "--bench":
        bench();
        break;
      default:
        throw new IllegalArgumentException("no command is called " + arguments[0]);
    }
  }
}
