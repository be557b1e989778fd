#include "apps/cli/filters/like.h"

#include "apps/cli/shell/exit_code.h"

namespace bloomery::cli {
namespace {

Status emptied(AnyFilter& filter, const Format& format) {
  const auto refused = [](std::string sentence) {
    return Error{ErrorCode::kInvalidArgument, std::move(sentence)};
  };
  if (std::holds_alternative<NativeScalable>(filter))
    return refused(
        "--like cannot copy a scalable filter, because its layers depend on its keys; build "
        "filters "
        "that are to be merged with the same --keys");
  return std::visit(
      [&]<class Held>(Held& held) -> Status {
        if constexpr (AnyNative<Held>) {
          held.filter.reset();
          held.was_open = false;
          return ok();
        } else {
          return refused(message("--like needs a file of format bloomery, and this one has format ",
                                 format.name, "; use --format ", format.name,
                                 " with the same sizes instead"));
        }
      },
      filter);
}

}  // namespace

void add_like_option(CommandLine& app, std::string& path) {
  Option* like =
      app.add_option("--like", path,
                     "Make a filter that can be merged with that of FILE: the same layout, size, "
                     "hash, seed and funnel")
          ->value_name("FILE")
          ->group("Filter file");
  for (const char* decided :
       {"--keys",         "--fpr",     "--bits",          "--probes",     "--bits-per-key",
        "--blocks",       "--format",  "--layout",        "--profile",    "--seed",
        "--counter-bits", "--growth",  "--tightening",    "--max-layers", "--auto",
        "--seeded",       "--base-lg", "--guava-release", "--data",       "--expansion"})
    like->excludes(app.find_option(decided));
}

std::optional<FilterFile> empty_filter_like(const std::string& path,
                                            const NewFilterOptions& options, Session& session) {
  auto file = open_filter(path, {.secret_file = options.secret_file}, session);
  if (!file) return std::nullopt;
  if (auto done = emptied(file->filter, *file->format); !done) {
    session.exit_code = complain(path, done.error(), Blame::kArguments);
    return std::nullopt;
  }
  return file;
}

}  // namespace bloomery::cli
