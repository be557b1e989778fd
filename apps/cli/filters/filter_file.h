// A filter and its file: opened by --format or by its first bytes, and saved in the same format.
// Where a file is named, redis://host:port/key names a filter in a server, and https://host/path
// one to be read.
#pragma once
#include <optional>
#include <string>

#include "apps/cli/shell/command.h"
#include "bloomery/formats/format.h"

namespace bloomery::cli {

struct FormatOptions {
  std::string format = "auto";
  SizingRequest sizing = {};  // for files that have no header
  std::string secret_file;    // empty: none
  // False where they are for other files too: then what this one does not use is no mistake.
  bool are_for_this_file = true;
  // --fpr is also the goal that judges the health of a filter whose file stores none.
  bool rate_is_goal = false;
  // What the user calls the option of `format`, for errors.
  std::string_view format_option = "--format";
};

// add_format_options is the two others together; a command whose own options are called --keys or
// --fpr takes what it needs.
void add_format_options(CommandLine& app, FormatOptions& options);
void add_format_name_options(CommandLine& app, FormatOptions& options);  // --format --secret-file
void add_header_options(CommandLine& app, FormatOptions& options);  // --keys --fpr --bits --probes

struct FilterFile {
  std::string path;
  const Format* format;
  AnyFilter filter;
};

// What a decoder may need to know. Complains and returns nothing where the secret cannot be
// read.
std::optional<DecodeOptions> decode_options(const FormatOptions& options, Session& session);

// Opens by --format, or by the first bytes. Where there is no filter it complains,
// and sets the session's exit code.
std::optional<FilterFile> open_filter(const std::string& path, const FormatOptions& options,
                                      Session& session);

// The exit code for a filter that cannot be opened, with the complaint.
int complain_of_filter(const std::string& path, const Error& error);

// For a name that find_format does not know.
Error unknown_format(std::string_view name, std::string_view option = "--format");

// The key of a keyed filter, made from the raw bytes of a file.
Result<SipKey> read_secret(const std::string& path);

// Replaces the file in one step: if the command is interrupted, the old file or the new one is
// there, whole. Complains, sets the exit code and returns false where it cannot. A file, or a
// server's key, that appeared since may_write is replaced only with `force`. "-" is stdout.
bool save_filter(const std::string& path, const Format& format, const AnyFilter& filter,
                 Session& session, bool force = true);
// The same for a filter that is encoded already.
bool save_encoded(const std::string& path, const Format& format, ByteView bytes, Session& session,
                  bool force = true);

// True, with a complaint and the exit code, where the path is a server's: for commands that read a
// filter, change it and write it back, and would undo what others wrote meanwhile.
bool needs_file(const std::string& path, std::string_view advice, Session& session);

// True where the program that wrote to the file in place never closed it.
bool was_left_open(const AnyFilter& filter);
void warn_of_open_file(const std::string& path, const Globals& globals);

// Judges the health of a filter that stores no goal by this rate, where one is given. The number of
// keys of its goal is then 0: unknown.
void judge_by(std::optional<double> rate, Description& description);

// True where a checksum was verified: of the filter, or of the payload that it came in.
bool has_verified_checksum(const FilterFile& file, const Description& description);

// A warning on stderr where the filter is over its design or saturated, naming the real rate.
void warn_of_health(const std::string& path, const Description& description,
                    const Globals& globals);

}  // namespace bloomery::cli
