#include "apps/ethlog/output/log_printer.h"

#include "bloomery/base/message.h"

namespace bloomery::ethlog {

Status LogPrinter::print(const LogRecord& record) {
  if (events_ == nullptr) {
    ++counts_.logs;
    return writer_->add(record, {});
  }
  if (!events_->wants(record.log)) return ok();
  const auto decoded = events_->decode(record.log);
  if (decoded) {
    ++counts_.logs;
    return writer_->add(record, {&*decoded, {}});
  }
  const std::string where = message("block ", record.block_number, ", log ", record.log_index,
                                    " of ", record.log.address.hex(), ": ");
  if (on_undecoded_ == OnUndecoded::kStop)
    return Error{ErrorCode::kMalformed,
                 message(where, decoded.error().message,
                         "; --on-error skip leaves such logs out, keep prints them as they are")};
  if (counts_.undecoded++ == 0) counts_.first_undecoded = where + decoded.error().message;
  if (on_undecoded_ == OnUndecoded::kSkip) return ok();
  ++counts_.logs;
  return writer_->add(record, {nullptr, decoded.error().message});
}

}  // namespace bloomery::ethlog
