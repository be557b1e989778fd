#include "apps/ethlog/search/query_cost.h"

namespace bloomery::ethlog {

StageTimes& StageTimes::operator+=(const StageTimes& other) {
  planning += other.planning;
  index += other.index;
  headers += other.headers;
  checking += other.checking;
  reading += other.reading;
  matching += other.matching;
  return *this;
}

QueryCost& QueryCost::operator+=(const QueryCost& other) {
  index += other.index;
  indexed_blocks += other.indexed_blocks;
  candidates += other.candidates;
  header_blooms += other.header_blooms;
  blocks_read += other.blocks_read;
  false_positives += other.false_positives;
  missing_blocks += other.missing_blocks;
  logs += other.logs;
  times += other.times;
  return *this;
}

}  // namespace bloomery::ethlog
