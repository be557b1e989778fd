#include "bindings/python/src/batches.h"

#include <algorithm>
#include <cstring>

namespace bloomery::python {
namespace {

constexpr std::size_t kKeysBetweenSignals = std::size_t{1} << 21;  // some 10 ms
constexpr std::size_t kKeysWorthReleasing = 4096;                  // the GIL

bool refuse_single_key(PyObject* source) {
  PyErr_Format(PyExc_TypeError,
               "many keys are wanted, and this is one %s; pass it to add() or `in`, or in a list",
               PyUnicode_Check(source) ? "str" : "bytes");
  return false;
}

bool refuse_filter() {
  PyErr_SetString(PyExc_TypeError,
                  "a filter does not store its keys; merge filters with | or |= instead");
  return false;
}

// Whether the object has a method of that name. Errors other than its absence are not hidden.
int has_method(PyObject* object, const char* name) {
  PyObject* method = PyObject_GetAttrString(object, name);
  if (method == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  Py_DECREF(method);
  return 1;
}

// pandas and others that give a numpy array on demand.
bool add_through_numpy(Batch& batch, PyObject* source) {
  PyObject* array = PyObject_CallMethod(source, "__array__", nullptr);
  if (array == nullptr) return false;
  const bool done =
      PyObject_CheckBuffer(array) ? add_buffer(batch, array) : add_iterable(batch, array);
  Py_DECREF(array);
  return done;
}

}  // namespace

bool Batch::add_all(PyObject* source) {
  if (PyUnicode_Check(source) || PyBytes_Check(source) || PyByteArray_Check(source))
    return refuse_single_key(source);
  if (PyObject_TypeCheck(source, filter_type())) return refuse_filter();
  if (PyList_CheckExact(source)) return add_list(*this, source);
  if (PyTuple_CheckExact(source)) return add_tuple(*this, source);
  if (filter_->key != nullptr) return add_iterable(*this, source);
  if (PyObject_CheckBuffer(source)) return add_buffer(*this, source);
  const struct {
    const char* method;
    bool (*add)(Batch&, PyObject*);
  } ways[] = {{"__arrow_c_stream__", add_arrow_stream},
              {"__arrow_c_array__", add_arrow_array},
              {"__array__", add_through_numpy}};
  for (const auto& way : ways) {
    const int has = has_method(source, way.method);
    if (has != 0) return has > 0 && way.add(*this, source);
  }
  return add_iterable(*this, source);
}

bool Batch::add(const bloomery_keys& keys) {
  bloomery_keys part = keys;
  for (std::size_t done = 0; done < keys.count; done += part.count) {
    part.offset = keys.offset + done;
    part.count = std::min(keys.count - done, kKeysBetweenSignals);
    std::uint8_t* out = wants_answers_ ? place_for(part.count) : nullptr;
    if (wants_answers_ && out == nullptr) return false;
    std::size_t yes = 0;
    const Use use = work_ == Work::kLookUp   ? Use::kRead
                    : work_ == Work::kInsert ? use_of_insert(filter_)
                                             : Use::kWrite;
    if (part.count < kKeysWorthReleasing) {
      if (!is_usable(filter_, use)) return false;
      if (const int code = call(part, out, &yes); code != BLOOMERY_OK) {
        raise_error(code, errno);
        return false;
      }
    } else if (!run(filter_, use, [&] { return call(part, out, &yes); })) {
      return false;
    }
    size_ += part.count;
    yes_ += yes;
    if (part.count >= kKeysWorthReleasing && PyErr_CheckSignals() != 0) return false;
  }
  return true;
}

bool Batch::add_nulls(std::size_t count) {
  if (wants_answers_) {
    std::uint8_t* out = place_for(count);
    if (out == nullptr) return false;
    std::memset(out, 0, count);
  }
  size_ += count;
  return true;
}

int Batch::call(const bloomery_keys& keys, std::uint8_t* out, std::size_t* yes) const {
  switch (work_) {
    case Work::kInsert:
      return bloomery_insert_keys(filter_->handle, &keys, out, yes);
    case Work::kRemove:
      return bloomery_remove_keys(filter_->handle, &keys, out, yes);
    case Work::kLookUp:
      break;
  }
  return bloomery_may_contain_keys(filter_->handle, &keys, out, yes);
}

std::uint8_t* Batch::place_for(std::size_t count) {
  const auto size = static_cast<Py_ssize_t>(size_ + count);
  if (answers_ == nullptr) {
    answers_ = PyByteArray_FromStringAndSize(nullptr, size);
    if (answers_ == nullptr) return nullptr;
  } else if (PyByteArray_Resize(answers_, size) != 0) {
    return nullptr;
  }
  return reinterpret_cast<std::uint8_t*>(PyByteArray_AsString(answers_)) + size_;
}

PyObject* Batch::take_answers() {
  if (answers_ == nullptr) return PyByteArray_FromStringAndSize(nullptr, 0);
  PyObject* answers = answers_;
  answers_ = nullptr;
  return answers;
}

}  // namespace bloomery::python
