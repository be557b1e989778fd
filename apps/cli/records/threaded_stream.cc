#include "apps/cli/records/threaded_stream.h"

#include "apps/cli/records/chunk_sequence.h"
#include "apps/cli/records/stages.h"

namespace bloomery::cli {
namespace {

// Leaves out the records without a key; chunk.places says which are left.
void leave_out_skipped(Chunk& chunk) {
  chunk.places.clear();
  if (chunk.has_key.empty()) return;
  chunk.present_keys.clear();
  for (std::size_t i = 0; i < chunk.records.size(); ++i) {
    if (chunk.has_key[i] == 0) continue;
    chunk.records[chunk.places.size()] = chunk.records[i];
    chunk.present_keys.push_back(chunk.keys[i]);
    chunk.places.push_back(i);
  }
  chunk.skipped = chunk.records.size() - chunk.places.size();
  chunk.records.resize(chunk.places.size());
  chunk.keys = chunk.present_keys;
}

}  // namespace

Result<StreamTotals> for_each_batch_by_threads(const std::vector<InputFile>& inputs,
                                               const KeyReader& keys, const Globals& globals,
                                               Progress& progress, const BatchSteps& steps) {
  ChunkSequence sequence{files_to_open(inputs), {keys.options(), keys.order()}, progress};
  StreamTotals totals;
  bool had_enough = false;
  Stages stages;
  stages.fill = [&](Chunk& chunk) { return sequence.next(chunk); };
  stages.prepare = [&](Chunk& chunk) -> Status {
    chunk.skipped = 0;
    sequence.read_keys(chunk);
    leave_out_skipped(chunk);
    if (!steps.answer) return ok();
    chunk.is_new.resize(chunk.keys.size());
    return steps.answer(chunk.keys, chunk.is_new);
  };
  stages.print = [&](Chunk& chunk) -> Status {
    totals.records += chunk.records.size() + chunk.skipped;
    totals.skipped += chunk.skipped;
    Batch batch{.first_number = chunk.number_in_file + 1,
                .records = chunk.records,
                .keys = chunk.keys,
                .places = chunk.places,
                .file = chunk.file};
    if (chunk.skipped == 0) batch.places = {};
    if (steps.answer) batch.answers = chunk.is_new;
    const auto go_on = steps.use(batch);
    if (!go_on) return go_on.error();
    had_enough = !*go_on;
    return had_enough ? Status{Error{ErrorCode::kIo, "no more is wanted"}} : ok();
  };
  const auto done = run_stages(stages, globals.threads);
  if (!done && !had_enough) return done.error();
  totals.seconds = progress.seconds();
  return totals;
}

}  // namespace bloomery::cli
