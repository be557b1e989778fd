#include "apps/input/kinds.h"

#include <algorithm>
#include <array>

#include "apps/input/deeper_signs.h"
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
  bool ends_alike = false;     // the file ends in the magic too, and at most a byte of length
};

constexpr std::string_view kDuckdb = "duckdb -noheader -list -c \"SELECT column FROM '@'\""sv;
constexpr std::string_view kArrow =
    "python3 -c \"import pyarrow.feather as f; print(*f.read_table('@')['column'].to_pylist(), sep='\\n')\""sv;

constexpr std::array kForeign{
    Foreign{"BLOOMERY"sv, Sort::kFilter, "", "", true},
    Foreign{"PAR1"sv, Sort::kTable, "a Parquet file", kDuckdb, true, true},
    Foreign{"PARE"sv, Sort::kTable, "an encrypted Parquet file", kDuckdb, true, true},
    Foreign{"ARROW1\0\0"sv, Sort::kTable, "an Arrow file", kArrow},
    Foreign{"FEA1\0\0\0\0"sv, Sort::kTable, "a Feather file", kArrow},
    Foreign{"ORC"sv, Sort::kTable, "an ORC file", "orc-contents --columns=column @", true, true},
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

bool is_bzip2_size(char digit) { return digit >= '1' && digit <= '9'; }

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

std::string_view command_of(Compression compression) {
  return kPacked.at(static_cast<std::size_t>(compression)).command;
}

std::string behind_semicolon(std::string_view text) {
  return text.empty() ? "" : message("; ", text);
}

// A column of plain text may be all that the first bytes show.
bool ends_as(const Foreign& kind, ByteView last_bytes) {
  if (!kind.ends_alike || last_bytes.size() != kLastBytes) return false;
  const std::string_view last = text_of(last_bytes);
  if (kind.magic.size() == kLastBytes) return last == kind.magic;
  return last.starts_with(kind.magic) && has_control(last_bytes.last(1));
}

// How the command takes a filter file; as `query` does, where it takes none.
std::string_view way_of_filters(const Advice& advice) {
  if (advice.consumer == "bloomery split")
    return "--filter FILE cuts a filter into parts (bloomery split --parts N --filter FILE -o "
           "FOLDER)";
  return "name the filter first and the files of records after it (bloomery query FILTER FILE)";
}

std::string sentence_for(const Foreign& kind, const Advice& advice) {
  const std::string way_around = behind_semicolon(advice.way_around);
  const std::string command = filled_in(kind.command, advice);
  switch (kind.sort) {
    case Sort::kArchive:
      return message("it is ", kind.what, ", not records; take its members out first (", command,
                     ")", way_around);
    case Sort::kTable:
      if (advice.reads_columns && kind.magic == "PAR1")
        return message("it is ", kind.what, ", not records; --column NAME reads a column of it",
                       way_around);
      return message("it is ", kind.what, ", not records; write a column of it as lines first (",
                     command, ")", way_around);
    case Sort::kCompressed:
      return message(kind.what, "-compressed input is not supported; decompress it first (",
                     command, ")", way_around);
    case Sort::kEncoding:
      return message("it is ", kind.what, " text; convert it to UTF-8 first (", command, ")",
                     way_around);
    case Sort::kFilter:
      return message("it is a filter file of bloomery, not records; ", way_of_filters(advice),
                     way_around);
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
  if (text.starts_with("BZh") && text.size() >= 10 && is_bzip2_size(text[3]) &&
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
    return text.size() < 4 ||
           (is_bzip2_size(text[3]) && (agree(first_bytes.subspan(4), kBzip2Block) ||
                                       agree(first_bytes.subspan(4), kBzip2End)));
  return could_be_lzma(first_bytes) ||
         (text.size() < 8 && agree(first_bytes, "\xff\xff\xff\xff"sv));
}

std::optional<Compression> cut_compression(ByteView whole_input) {
  const std::string_view text = text_of(whole_input);
  const bool is_text = std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
  const auto* const cut = std::ranges::find_if(kBeginnings, [&](const Beginning& beginning) {
    return text.size() < beginning.magic.size() && beginning.magic.starts_with(text);
  });
  if (cut != kBeginnings.end() && !is_text) return cut->compression;
  if (text.size() >= 4 && text.size() < 10 && text.starts_with("BZh") &&
      could_be_known(whole_input))
    return Compression::kBzip2;
  return std::nullopt;
}

bool ending_decides(ByteView first_bytes) {
  return std::ranges::any_of(kForeign, [&](const Foreign& kind) {
    return kind.ends_alike && begins_with(first_bytes, kind.magic);
  });
}

std::optional<std::string> refusal_of(ByteView first_bytes, const Advice& advice,
                                      ByteView last_bytes) {
  for (const Foreign& kind : kForeign)
    if (begins_with(first_bytes, kind.magic) &&
        (!kind.needs_control || has_control(first_bytes) || ends_as(kind, last_bytes)))
      return sentence_for(kind, advice);
  if (is_arrow_stream(first_bytes))
    return sentence_for({"", Sort::kTable, "an Arrow stream", kArrow}, advice);
  if (is_tar(first_bytes))
    return sentence_for({"", Sort::kArchive, "a tar archive", "tar -xOf @"}, advice);
  if (is_lzma(first_bytes))
    return sentence_for({"", Sort::kCompressed, "lzma", "xz -dc @"}, advice);
  if (const auto encoding = utf16_without_mark(first_bytes); encoding && !advice.nul_ends_records)
    return sentence_for({"", Sort::kEncoding, "UTF-16",
                         *encoding == "UTF-16LE" ? "iconv -f UTF-16LE -t UTF-8 @"sv
                                                 : "iconv -f UTF-16BE -t UTF-8 @"sv},
                        advice);
  return std::nullopt;
}

std::string compressed_twice_sentence(Compression outer, Compression inner, const Advice& advice) {
  return message("it is compressed twice, ", compression_name(inner), " inside ",
                 compression_name(outer), "; decompress it once first (",
                 filled_in(message(command_of(outer), " @"), advice), ")");
}

std::string cut_sentence(Compression compression, const Advice& advice) {
  return message("the ", compression_name(compression), " data end early; the file is incomplete",
                 behind_semicolon(advice.way_around));
}

std::string not_built_sentence(Compression compression, const Advice& advice) {
  const Packed& packed = kPacked.at(static_cast<std::size_t>(compression));
  return message(packed.name,
                 "-compressed input is not supported in this build; decompress it first (",
                 filled_in(message(packed.command, " @"), advice), ")");
}

}  // namespace bloomery::input
