#include <cstring>

#include "bindings/python/src/filter.h"

namespace bloomery::python {

PyObject* format_error = nullptr;

namespace {

// The library's sentences are UTF-8 but for names of files, which may be any bytes.
PyObject* last_sentence() {
  const char* sentence = bloomery_last_error();
  return PyUnicode_DecodeUTF8(sentence, static_cast<Py_ssize_t>(std::strlen(sentence)), "replace");
}

// What the failed call was to do.
enum class Task { kCreate, kDecode, kOther };

// Whether max_bytes= was the cause: a filter that is full is too large as well, and so is one that
// its format cannot hold.
bool is_beyond_max_bytes(int code, Task task) {
  if (code != BLOOMERY_TOO_LARGE || task == Task::kOther) return false;
  return task == Task::kDecode || std::strstr(bloomery_last_error(), "limit") != nullptr;
}

// Takes the reference.
PyObject* with_hint(PyObject* sentence) {
  PyObject* longer = PyUnicode_FromFormat("%U; raise it with max_bytes=", sentence);
  Py_DECREF(sentence);
  return longer;
}

// OSError, or the subclass that errno means. The sentence must name the same reason: a later call
// may have changed errno.
void raise_os_error(PyObject* sentence, int error_number) {
  const char* reason = error_number != 0 ? std::strerror(error_number) : nullptr;
  if (reason == nullptr || std::strstr(bloomery_last_error(), reason) == nullptr) {
    PyErr_SetObject(PyExc_OSError, sentence);
    return;
  }
  PyObject* arguments = Py_BuildValue("(iO)", error_number, sentence);
  if (arguments == nullptr) return;
  PyErr_SetObject(PyExc_OSError, arguments);
  Py_DECREF(arguments);
}

// Bytes of no known format: the library calls the missing name of a format an invalid argument.
bool is_unrecognized() {
  return std::strstr(bloomery_last_error(), "the format is not recognised") != nullptr;
}

PyObject* exception_of(int code, Task task) {
  const bool is_decoding = task == Task::kDecode;
  switch (code) {
    case BLOOMERY_NO_MEMORY:
      return PyExc_MemoryError;
    case BLOOMERY_INTERNAL:
      return PyExc_RuntimeError;
    case BLOOMERY_TRUNCATED:
    case BLOOMERY_MALFORMED:
      return format_error;
    case BLOOMERY_UNSUPPORTED:
    case BLOOMERY_TOO_LARGE:
      return is_decoding ? format_error : PyExc_ValueError;
    default:
      return is_decoding && is_unrecognized() ? format_error : PyExc_ValueError;
  }
}

void raise_as(int code, int error_number, Task task) {
  PyObject* sentence = last_sentence();
  if (sentence != nullptr && is_beyond_max_bytes(code, task)) sentence = with_hint(sentence);
  if (sentence == nullptr) return;  // no memory for it, which is an exception too
  if (code == BLOOMERY_IO)
    raise_os_error(sentence, error_number);
  else
    PyErr_SetObject(exception_of(code, task), sentence);
  Py_DECREF(sentence);
}

}  // namespace

void raise_error(int code, int error_number) { raise_as(code, error_number, Task::kOther); }
void raise_create_error(int code, int error_number) { raise_as(code, error_number, Task::kCreate); }
void raise_decode_error(int code, int error_number) { raise_as(code, error_number, Task::kDecode); }

}  // namespace bloomery::python
