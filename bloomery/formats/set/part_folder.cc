#include <algorithm>
#include <filesystem>

#include "bloomery/base/file.h"
#include "bloomery/base/message.h"
#include "bloomery/formats/set/part_source.h"

namespace bloomery {
namespace {

class MappedPart : public PartReader {
 public:
  explicit MappedPart(MappedFile file) : file_{std::move(file)} {}
  std::uint64_t size_bytes() const override { return file_.bytes().size(); }
  ByteView bytes() const override { return file_.bytes(); }
  Status read(std::span<const PartBytes> ranges) const override {
    for (const PartBytes& range : ranges)
      std::ranges::copy(
          file_.bytes().subspan(static_cast<std::size_t>(range.offset), range.into.size()),
          range.into.begin());
    return ok();
  }
  Status check_size() const override { return file_.check_size(); }

 private:
  MappedFile file_;
};

class PartFolder : public PartSource {
 public:
  explicit PartFolder(std::string_view folder) : folder_{folder} {}
  Result<std::unique_ptr<PartReader>> open(std::string_view file) override {
    const auto path = folder_ / std::filesystem::path{file};
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    // To open a pipe waits for its writer.
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      return Error{ErrorCode::kIo,
                   message(path.string(), ": it is not a regular file, and a part must be one")};
    auto mapped = MappedFile::open(path);
    if (!mapped) return mapped.error();
    return std::unique_ptr<PartReader>{std::make_unique<MappedPart>(std::move(*mapped))};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<PartSource> part_folder(std::string_view folder) {
  return std::make_unique<PartFolder>(folder);
}

}  // namespace bloomery
