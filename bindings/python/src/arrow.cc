// Capsules of Arrow's PyCapsule interface: whatever pyarrow, polars, pandas and others export.
#include "bindings/python/src/arrow.h"

#include <cstring>

#include "bindings/python/src/batches.h"

namespace bloomery::python {
namespace {

template <class T>
T* content_of(PyObject* capsule, const char* name) {
  auto* content = static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  if (content == nullptr || content->release != nullptr) return content;
  PyErr_SetString(PyExc_ValueError, "the Arrow data was released before it was read");
  return nullptr;
}

// What a stream gave, released with the scope.
template <class T>
struct Released {
  T content{};
  Released() = default;
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  // The producer may be written in Python, and its code must not meet our exception.
  ~Released() {
    if (content.release == nullptr) return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    content.release(&content);
    PyErr_Restore(type, value, traceback);
  }
};

bool raise_stream_error(ArrowArrayStream* stream, int code) {
  if (PyErr_Occurred() != nullptr) return false;  // of a stream that is written in Python
  const char* why = stream->get_last_error != nullptr ? stream->get_last_error(stream) : nullptr;
  PyErr_Format(PyExc_OSError, "the Arrow stream failed: %s",
               why != nullptr ? why : std::strerror(code));
  return false;
}

bool add_stream(Batch& batch, ArrowArrayStream* stream) {
  Released<ArrowSchema> schema;
  if (const int code = stream->get_schema(stream, &schema.content); code != 0)
    return raise_stream_error(stream, code);
  for (;;) {
    Released<ArrowArray> array;
    if (const int code = stream->get_next(stream, &array.content); code != 0)
      return raise_stream_error(stream, code);
    if (array.content.release == nullptr) return true;
    if (!add_column(batch, schema.content, array.content)) return false;
    if (PyErr_CheckSignals() != 0) return false;
  }
}

bool add_pair(Batch& batch, PyObject* pair) {
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
    PyErr_SetString(PyExc_TypeError, "__arrow_c_array__ did not return two capsules");
    return false;
  }
  const auto* schema = content_of<ArrowSchema>(PyTuple_GetItem(pair, 0), "arrow_schema");
  if (schema == nullptr) return false;
  const auto* array = content_of<ArrowArray>(PyTuple_GetItem(pair, 1), "arrow_array");
  return array != nullptr && add_column(batch, *schema, *array);
}

}  // namespace

bool add_arrow_array(Batch& batch, PyObject* source) {
  PyObject* pair = PyObject_CallMethod(source, "__arrow_c_array__", nullptr);
  if (pair == nullptr) return false;
  const bool done = add_pair(batch, pair);
  Py_DECREF(pair);
  return done;
}

bool add_arrow_stream(Batch& batch, PyObject* source) {
  PyObject* capsule = PyObject_CallMethod(source, "__arrow_c_stream__", nullptr);
  if (capsule == nullptr) return false;
  auto* stream = content_of<ArrowArrayStream>(capsule, "arrow_array_stream");
  const bool done = stream != nullptr && add_stream(batch, stream);
  Py_DECREF(capsule);
  return done;
}

}  // namespace bloomery::python
