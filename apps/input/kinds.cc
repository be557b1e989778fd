#include "apps/input/kinds.h"

#include <algorithm>
#include <array>

#include "apps/input/inflate.h"
#include "bloomery/base/message.h"

namespace bloomery::input {
namespace {

using namespace std::string_view_literals;

struct Packed {
  Compression compression;
  std::string_view name;
  std::string_view command;  // decompresses a file to stdout
};
constexpr std::array kPacked{
    Packed{Compression::kNone, "none", ""},
    Packed{Compression::kGzip, "gzip", "gzip -dc"},
    Packed{Compression::kZstd, "zstd", "zstd -dc"},
    Packed{Compression::kXz, "xz", "xz -dc"},
    Packed{Compression::kBzip2, "bzip2", "bzip2 -dc"},
    Packed{Compression::kLz4, "lz4", "lz4 -dc"},
};

struct Beginning {
  std::string_view magic;
  Compression compression;
};
// RFC 1952, RFC 8878, the xz file format 1.2.1, bzip2 (the digit is the block size), LZ4 frame
// format 1.6. A skippable frame is shared by zstd and lz4; zstd's reader steps over it.
constexpr std::array kBeginnings{
    Beginning{"\x1f\x8b\x08"sv, Compression::kGzip},
    Beginning{"\x28\xb5\x2f\xfd"sv, Compression::kZstd},
    Beginning{"\xfd\x37zXZ\0"sv, Compression::kXz},
    Beginning{"\x04\x22\x4d\x18"sv, Compression::kLz4},
};
constexpr std::string_view kBzip2Block = "\x31\x41\x59\x26\x53\x59"sv;
constexpr std::string_view kBzip2End = "\x17\x72\x45\x38\x50\x90"sv;
constexpr std::string_view kSkippable = "\x2a\x4d\x18"sv;  // behind 0x50 to 0x5f

enum class Sort : std::uint8_t {
  kArchive,     // its members must be taken out
  kTable,       // one of its columns must be written as lines
  kCompressed,  // must be decompressed by another program
  kEncoding,    // text that must be written in another encoding
  kFilter,      // one of our own filter files
  kOther,       // holds no records at all
};

struct Foreign {
  std::string_view magic;
  Sort sort;
  std::string_view what;       // behind the name and a colon
  std::string_view command;    // @ stands for the name
  bool needs_control = false;  // the magic alone could begin a line of text
};

constexpr std::string_view kDuckdb = "duckdb -noheader -list -c \"SELECT column FROM '@'\""sv;
constexpr std::string_view kArrow =
    "python3 -c \"import pyarrow.feather as f; print(*f.read_table('@')['column'].to_pylist(), sep='\\n')\""sv;

constexpr std::array kForeign{
    Foreign{"BLOOMERY"sv, Sort::kFilter, "", "", true},
    Foreign{"PAR1"sv, Sort::kTable, "a Parquet file", kDuckdb, true},
    Foreign{"PARE"sv, Sort::kTable, "an encrypted Parquet file", kDuckdb, true},
    Foreign{"ARROW1\0\0"sv, Sort::kTable, "an Arrow file", kArrow},
    Foreign{"FEA1\0\0\0\0"sv, Sort::kTable, "a Feather file", kArrow},
    Foreign{"ORC"sv, Sort::kTable, "an ORC file", "orc-contents --columns=column @", true},
    Foreign{"Obj\x01"sv, Sort::kTable, "an Avro file", "avro-tools tojson @"},
    Foreign{"SQLite format 3\0"sv, Sort::kTable, "an SQLite database",
            "sqlite3 @ 'SELECT column FROM table'"},
    Foreign{"\x89HDF\r\n\x1a\n"sv, Sort::kTable, "an HDF5 file", "h5dump -y -w 0 -d DATASET @"},
    Foreign{"PGDMP"sv, Sort::kTable, "a PostgreSQL dump", "pg_restore -a -f - @", true},
    Foreign{"PK\x03\x04"sv, Sort::kArchive, "a zip archive", "unzip -p @"},
    Foreign{"PK\x05\x06"sv, Sort::kArchive, "an empty zip archive", "unzip -p @"},
    Foreign{"7z\xbc\xaf\x27\x1c"sv, Sort::kArchive, "a 7z archive", "7z x -so @"},
    Foreign{"Rar!\x1a\x07"sv, Sort::kArchive, "a RAR archive", "unrar p -inul @"},
    Foreign{"!<arch>\n"sv, Sort::kArchive, "an ar archive", "ar p @"},
    Foreign{"\x1f\x9d"sv, Sort::kCompressed, "compress", "gzip -dc @"},
    Foreign{"LZIP\x01"sv, Sort::kCompressed, "lzip", "lzip -dc @"},
    Foreign{"\x89LZO\0\r\n\x1a\n"sv, Sort::kCompressed, "lzop", "lzop -dc @"},
    Foreign{"\xff\x06\0\0sNaPpY"sv, Sort::kCompressed, "snappy", "snzip -dc @"},
    Foreign{"\x02\x21\x4c\x18"sv, Sort::kCompressed, "legacy lz4", "lz4 -dc @"},
    Foreign{"\xff\xfe\0\0"sv, Sort::kEncoding, "UTF-32", "iconv -f UTF-32 -t UTF-8 @"},
    Foreign{"\0\0\xfe\xff"sv, Sort::kEncoding, "UTF-32", "iconv -f UTF-32 -t UTF-8 @"},
    Foreign{"\xff\xfe"sv, Sort::kEncoding, "UTF-16", "iconv -f UTF-16 -t UTF-8 @"},
    Foreign{"\xfe\xff"sv, Sort::kEncoding, "UTF-16", "iconv -f UTF-16 -t UTF-8 @"},
    Foreign{"%PDF-"sv, Sort::kOther, "a PDF document", "pdftotext @ -"},
    Foreign{"\x7f"
            "ELF"sv,
            Sort::kOther, "an ELF program", "strings @"},
    Foreign{"\x89PNG\r\n\x1a\n"sv, Sort::kOther, "a PNG image", ""},
    Foreign{"\xff\xd8\xff"sv, Sort::kOther, "a JPEG image", ""},
    Foreign{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, Sort::kOther, "a Microsoft Office document", ""},
    Foreign{"REDIS0"sv, Sort::kOther, "a Redis dump", "", true},
};

bool begins_with(ByteView bytes, std::string_view magic) {
  return text_of(bytes).starts_with(magic);
}

// True where the one begins as the other, as far as both go.
bool agree(ByteView bytes, std::string_view magic) {
  const std::size_t common = std::min(bytes.size(), magic.size());
  return text_of(bytes).substr(0, common) == magic.substr(0, common);
}

// A byte that no text has, NUL apart: records may end in NUL.
bool has_control(ByteView bytes) {
  constexpr std::size_t kLooked = 256;
  return std::ranges::any_of(bytes.first(std::min(bytes.size(), kLooked)), [](std::byte byte) {
    const auto value = std::to_integer<unsigned>(byte);
    return (value >= 1 && value <= 8) || (value >= 0x0e && value <= 0x1a);
  });
}

// Arrow's stream: a continuation marker, then the length of the schema's message in 8-byte units.
bool is_arrow_stream(ByteView bytes) {
  return bytes.size() >= 8 && begins_with(bytes, "\xff\xff\xff\xff"sv) &&
         bytes[7] == std::byte{0} && (bytes[4] & std::byte{7}) == std::byte{0};
}

// POSIX tar, and GNU's: at byte 257 of its first header.
bool is_tar(ByteView bytes) {
  constexpr std::size_t kPlace = 257;
  return bytes.size() >= kPlace + 6 && (text_of(bytes.subspan(kPlace)).starts_with("ustar\0"sv) ||
                                        text_of(bytes.subspan(kPlace)).starts_with("ustar "sv));
}

std::string filled_in(std::string_view command, const Advice& advice) {
  const bool is_stdin = advice.name == "standard input";
  std::string text;
  for (const char c : command) {
    if (c == '@')
      text += is_stdin ? "FILE" : advice.name;
    else
      text += c;
  }
  return message(text, " | ", advice.consumer);
}

std::string sentence_for(const Foreign& kind, const Advice& advice) {
  const std::string way_around = advice.way_around.empty() ? "" : message("; ", advice.way_around);
  const std::string command = filled_in(kind.command, advice);
  switch (kind.sort) {
    case Sort::kArchive:
      return message("it is ", kind.what, ", not records; take its members out first (", command,
                     ")", way_around);
    case Sort::kTable:
      return message("it is ", kind.what, ", not records; write a column of it as lines first (",
                     command, ")", way_around);
    case Sort::kCompressed:
      return message(kind.what, "-compressed input is not supported; decompress it first (",
                     command, ")", way_around);
    case Sort::kEncoding:
      return message("it is ", kind.what, " text; convert it to UTF-8 first (", command, ")",
                     way_around);
    case Sort::kFilter:
      return message("it is a filter file of bloomery, not records; name the filter first and the ",
                     "files of records after it (bloomery query FILTER FILE)", way_around);
    case Sort::kOther:
      break;
  }
  return message("it is ", kind.what, ", not records",
                 kind.command.empty() ? "" : message("; write its text first (", command, ")"),
                 way_around);
}

}  // namespace

std::string_view compression_name(Compression compression) {
  return kPacked.at(static_cast<std::size_t>(compression)).name;
}

std::optional<Compression> find_compression(std::string_view name) {
  const auto* const found = std::ranges::find(kPacked, name, &Packed::name);
  if (found == kPacked.end()) return std::nullopt;
  return found->compression;
}

bool is_built(Compression compression) {
  if (compression == Compression::kBzip2) return Bzip2Stream::is_built();
  if (compression == Compression::kLz4) return Lz4Stream::is_built();
  return true;
}

Compression recognise(ByteView first_bytes) {
  for (const Beginning& beginning : kBeginnings)
    if (begins_with(first_bytes, beginning.magic)) return beginning.compression;
  const std::string_view text = text_of(first_bytes);
  if (text.size() >= 4 && (text[0] & 0xf0) == 0x50 && text.substr(1).starts_with(kSkippable))
    return Compression::kZstd;
  if (text.starts_with("BZh") && text.size() >= 10 && text[3] >= '1' && text[3] <= '9' &&
      (text.substr(4).starts_with(kBzip2Block) || text.substr(4).starts_with(kBzip2End)))
    return Compression::kBzip2;
  return Compression::kNone;
}

bool could_be_known(ByteView first_bytes) {
  if (first_bytes.empty()) return true;
  const auto unfinished = [&](std::string_view magic) {
    return first_bytes.size() < magic.size() && agree(first_bytes, magic);
  };
  if (std::ranges::any_of(kBeginnings, unfinished, &Beginning::magic) ||
      std::ranges::any_of(kForeign, unfinished, &Foreign::magic))
    return true;
  const std::string_view text = text_of(first_bytes);
  if (text.size() < 4 && (text[0] & 0xf0) == 0x50) return agree(first_bytes.subspan(1), kSkippable);
  if (text.size() < 10 && agree(first_bytes, "BZh"))
    return text.size() <= 4 || agree(first_bytes.subspan(4), kBzip2Block) ||
           agree(first_bytes.subspan(4), kBzip2End);
  return text.size() < 8 && agree(first_bytes, "\xff\xff\xff\xff"sv);
}

std::optional<std::string> refusal_of(ByteView first_bytes, const Advice& advice) {
  for (const Foreign& kind : kForeign)
    if (begins_with(first_bytes, kind.magic) && (!kind.needs_control || has_control(first_bytes)))
      return sentence_for(kind, advice);
  if (is_arrow_stream(first_bytes))
    return sentence_for({"", Sort::kTable, "an Arrow stream", kArrow}, advice);
  if (is_tar(first_bytes))
    return sentence_for({"", Sort::kArchive, "a tar archive", "tar -xOf @"}, advice);
  return std::nullopt;
}

std::string not_built_sentence(Compression compression, const Advice& advice) {
  const Packed& packed = kPacked.at(static_cast<std::size_t>(compression));
  return message(packed.name,
                 "-compressed input is not supported in this build; decompress it first (",
                 filled_in(message(packed.command, " @"), advice), ")");
}

}  // namespace bloomery::input
