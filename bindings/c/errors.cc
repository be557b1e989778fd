#include "bindings/c/handle.h"

namespace bloomery::c {
namespace {

// Without a destructor, so that no thread registers one, which could need memory.
thread_local char last_error[2048] = "";

int code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return BLOOMERY_INVALID_ARGUMENT;
    case ErrorCode::kTruncated:
      return BLOOMERY_TRUNCATED;
    case ErrorCode::kMalformed:
      return BLOOMERY_MALFORMED;
    case ErrorCode::kUnsupported:
      return BLOOMERY_UNSUPPORTED;
    case ErrorCode::kTooLarge:
      return BLOOMERY_TOO_LARGE;
    case ErrorCode::kIo:
      return BLOOMERY_IO;
  }
  return BLOOMERY_INTERNAL;
}

}  // namespace

void set_last_error(std::string_view sentence) noexcept {
  const std::size_t size = std::min(sentence.size(), sizeof last_error - 1);
  std::memcpy(last_error, sentence.data(), size);
  last_error[size] = '\0';
}

int fail(const Error& error) noexcept {
  set_last_error(error.message);
  return code_of(error.code);
}

int fail_by_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    set_last_error("out of memory");
    return BLOOMERY_NO_MEMORY;
  } catch (const std::length_error&) {  // of a container: more than any memory holds
    set_last_error("out of memory: a size is beyond what a program can address");
    return BLOOMERY_NO_MEMORY;
  } catch (const std::exception& error) {
    set_last_error(error.what());
  } catch (...) {
    set_last_error("an unknown exception");
  }
  return BLOOMERY_INTERNAL;
}

}  // namespace bloomery::c

const char* bloomery_last_error(void) { return bloomery::c::last_error; }

const char* bloomery_error_name(int code) {
  switch (code) {
    case BLOOMERY_OK:
      return "ok";
    case BLOOMERY_INVALID_ARGUMENT:
      return "invalid argument";
    case BLOOMERY_TRUNCATED:
      return "truncated";
    case BLOOMERY_MALFORMED:
      return "malformed";
    case BLOOMERY_UNSUPPORTED:
      return "unsupported";
    case BLOOMERY_TOO_LARGE:
      return "too large";
    case BLOOMERY_IO:
      return "input/output error";
    case BLOOMERY_NO_MEMORY:
      return "out of memory";
    case BLOOMERY_INTERNAL:
      return "internal error";
    default:
      return "unknown error";
  }
}

const char* bloomery_version(void) { return BLOOMERY_C_VERSION; }
