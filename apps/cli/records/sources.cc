#include "apps/cli/records/sources.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "apps/input/input.h"
#include "bloomery/base/list_folder.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kMostListBytes = std::size_t{1} << 30;

Error source_error(ErrorCode code, std::string_view path, std::string_view why) {
  return {code, message(path, ": ", why)};
}

using FolderId = std::pair<dev_t, ino_t>;

// All files in folders, in the order of their paths.
class Walk {
 public:
  Walk(const SourceOptions& options, std::vector<std::string>& files)
      : options_{options}, files_{files} {}

  // Precondition: it is a folder.
  Status folder(const std::string& path, const struct stat& info) {
    const FolderId id{info.st_dev, info.st_ino};
    if (std::ranges::find(open_, id) != open_.end())
      return source_error(ErrorCode::kInvalidArgument, path,
                          "the link leads back into a folder above it");
    auto names = list_folder(path);
    if (!names) return names.error();
    std::ranges::sort(*names);
    open_.push_back(id);
    for (const std::string& name : *names) {
      const std::string inside = path.ends_with('/') ? path + name : path + "/" + name;
      if (auto done = entry(inside, name); !done) return done;
    }
    open_.pop_back();
    return ok();
  }

 private:
  Status entry(const std::string& path, const std::string& name) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
      const int why = errno;
      if (!is_chosen(name) && why == ENOENT) return ok();
      return source_error(ErrorCode::kIo, path, message("cannot read: ", std::strerror(why)));
    }
    if (S_ISDIR(info.st_mode)) return folder(path, info);
    if (!is_chosen(name)) return ok();
    if (!S_ISREG(info.st_mode))
      return source_error(ErrorCode::kInvalidArgument, path,
                          "it is no regular file; -r reads regular files only, --glob leaves "
                          "others out");
    files_.push_back(path);
    return ok();
  }

  bool is_chosen(const std::string& name) const {
    return options_.globs.empty() || std::ranges::any_of(options_.globs, [&](const auto& glob) {
             return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
           });
  }

  const SourceOptions& options_;
  std::vector<std::string>& files_;
  std::vector<FolderId> open_;
};

// The names in a list.
Result<std::vector<std::string>> read_list(const std::string& list, char delimiter) {
  auto input = input::Input::open(
      list, {.consumer = "bloomery --records-file", .nul_ends_records = delimiter == '\0'});
  if (!input) return input.error();
  std::string text;
  std::vector<std::byte> buffer(std::size_t{64} << 10);
  for (;;) {
    const auto got = input->read(buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    text += text_of(ByteView{buffer}.first(*got));
    if (text.size() > kMostListBytes)
      return source_error(ErrorCode::kTooLarge, input->name(), "a list of files has at most 1 GiB");
  }
  std::vector<std::string> names;
  std::string_view rest = text;
  for (std::uint64_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = rest.find(delimiter);
    const std::string_view name = rest.substr(0, end);
    if (name.empty())
      return source_error(ErrorCode::kInvalidArgument, input->name(),
                          message("name ", line, " of the list is empty"));
    if (name.find('\0') != std::string_view::npos)
      return source_error(ErrorCode::kInvalidArgument, input->name(),
                          message("name ", line,
                                  " of the list has a NUL byte; with -z, names end "
                                  "in NUL"));
    names.emplace_back(name);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  if (names.empty())
    return source_error(ErrorCode::kInvalidArgument, input->name(), "the list names no file");
  return names;
}

Status add_source(const std::string& path, const SourceOptions& options,
                  std::vector<std::string>& files) {
  struct stat info {};
  // What cannot be looked at is reported by the reader of the file.
  if (path == "-" || ::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    files.push_back(path);
    return ok();
  }
  if (!options.recursive)
    return source_error(ErrorCode::kInvalidArgument, path,
                        "it is a folder; -r reads the files in it");
  const std::size_t before = files.size();
  if (auto walked = Walk{options, files}.folder(path, info); !walked) return walked;
  if (files.size() != before) return ok();
  return source_error(
      ErrorCode::kInvalidArgument, path,
      options.globs.empty() ? "no file is in the folder" : "no file in the folder matches --glob");
}

}  // namespace

void add_source_options(CommandLine& app, SourceOptions& options, std::string_view group) {
  app.add_list("--records-file", options.lists,
               "Read the files that this file names, one per line (with -z: each ended by NUL), "
               "after those of the command line; - is stdin")
      ->value_name("LIST")
      ->not_empty()
      ->group(group);
  auto* recursive = app.add_flag("-r,--recursive", options.recursive,
                                 "Read all files in a folder and below, in the order of their "
                                 "names; links are followed");
  recursive->group(group);
  app.add_list("--glob", options.globs,
               "With -r, read only files with such a name: '*.jsonl.zst'. May be repeated")
      ->value_name("PATTERN")
      ->not_empty()
      ->needs(recursive)
      ->group(group);
}

Result<std::vector<std::string>> find_sources(const std::vector<std::string>& paths,
                                              const SourceOptions& options, char delimiter) {
  std::vector<std::string> named = paths;
  const auto stdins = std::ranges::count(options.lists, "-");
  for (const std::string& list : options.lists) {
    auto names = read_list(list, delimiter);
    if (!names) return names.error();
    named.insert(named.end(), names->begin(), names->end());
  }
  if (stdins > 1 || (stdins == 1 && std::ranges::find(named, "-") != named.end()))
    return source_error(ErrorCode::kInvalidArgument, "standard input",
                        "it is given twice, but can be read only once");
  std::vector<std::string> files;
  for (const std::string& path : named)
    if (auto added = add_source(path, options, files); !added) return added.error();
  return files;
}

}  // namespace bloomery::cli
