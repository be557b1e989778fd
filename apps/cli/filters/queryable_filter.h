// A filter that is only queried: in memory; mapped, where it is a large file of our format, or in
// parts; in a server; page by page at a web address; or the filters of a LevelDB table or of a
// whole database.
#pragma once
#include <memory>
#include <optional>
#include <variant>

#include "apps/cli/filters/filter_file.h"
#include "apps/cli/filters/set_file.h"
#include "apps/cli/remote/remote_filter.h"
#include "bloomery/formats/leveldb/database.h"
#include "bloomery/formats/native/mapped.h"
#include "bloomery/remote/block.h"

namespace bloomery::cli {

class QueryableFilter {
 public:
  // Smaller files are read whole, which verifies their checksum at the price of a moment. Larger
  // ones are mapped: header and length are verified, and a few keys cost a few pages.
  static constexpr std::uint64_t kMappedFrom = std::uint64_t{256} << 20;

  // Complains, and sets the session's exit code, where there is none.
  static std::optional<QueryableFilter> open(const std::string& path, const FormatOptions& options,
                                             Session& session);

  // Threads may query together unless is_remote(): then one at a time, and each query may fail.
  Status may_contain_batch(std::span<const ByteView> keys, std::span<std::uint8_t> answers) const;
  std::string_view format_name() const;
  std::optional<FunnelName> funnel() const;
  const AnyFilter* in_memory() const;       // null where it is mapped, remote or LevelDB's
  const LevelDbDatabase* database() const;  // null where it is not
  const FilterSet* set() const {
    return std::get_if<FilterSet>(&held_);
  }  // null where it is one file
  // Where to describe it reads all of a large file, or of many.
  bool is_mapped() const { return std::holds_alternative<MappedNative>(held_) || set() != nullptr; }
  bool is_remote() const {
    return std::holds_alternative<Remote>(held_) || std::holds_alternative<Web>(held_);
  }
  // Reads every bit; but of a remote filter the server's counts, or no more than was fetched. An
  // error of a filter in parts names the part that cannot be read.
  Result<Description> described() const;
  Description describe() const;  // precondition: set() is null

 private:
  using Remote =
      std::unique_ptr<RemoteFilter>;         // a constant filter to us, an exchange of words to it
  using Web = std::unique_ptr<RemoteBlock>;  // likewise

  static std::optional<QueryableFilter> open_remote(const std::string& path,
                                                    const FormatOptions& options, Session& session);
  static std::optional<QueryableFilter> open_web(const std::string& path,
                                                 const FormatOptions& options, Session& session);
  explicit QueryableFilter(Web web) : held_{std::move(web)} {}
  explicit QueryableFilter(Remote remote) : held_{std::move(remote)} {}
  explicit QueryableFilter(FilterFile file) : held_{std::move(file)} {}
  explicit QueryableFilter(MappedNative mapped) : held_{std::move(mapped)} {}
  explicit QueryableFilter(LevelDbDatabase database) : held_{std::move(database)} {}
  explicit QueryableFilter(FilterSet set) : held_{std::move(set)} {}

  std::variant<FilterFile, MappedNative, Remote, Web, LevelDbDatabase, FilterSet> held_;
};

}  // namespace bloomery::cli
