#include "bindings/python/src/keys.h"

#include <cmath>
#include <cstring>

namespace bloomery::python {

bool has_integer_keys(KeyType type) { return type == KeyType::kU64 || type == KeyType::kSigned; }
bool has_number_keys(KeyType type) { return type != KeyType::kBytes && type != KeyType::kUtf16; }
std::uint32_t width_of(KeyType type) {
  switch (type) {
    case KeyType::kF32:
      return 4;
    case KeyType::kBool:
      return 1;
    default:
      return 8;
  }
}

void raise_wrong_kind(const Filter* filter, const char* what, bool is_whole_number) {
  switch (filter->key_type) {
    case KeyType::kBytes:
      if (is_whole_number)
        PyErr_Format(PyExc_TypeError,
                     "this filter takes str and bytes keys, not %s; make it with key_type=\"i64\" "
                     "or \"u64\" for whole numbers",
                     what);
      else
        PyErr_Format(PyExc_TypeError,
                     "this filter takes str and bytes keys, not %s; give it key=, a function that "
                     "makes bytes of such a key",
                     what);
      return;
    case KeyType::kUtf16:
      PyErr_Format(PyExc_TypeError, "this filter takes str keys (key_type=\"utf16\"), not %s",
                   what);
      return;
    case KeyType::kU64:
    case KeyType::kSigned:
      PyErr_Format(PyExc_TypeError,
                   "this filter takes whole numbers, not %s; for str and bytes make one with "
                   "key_type=\"bytes\"",
                   what);
      return;
    case KeyType::kF32:
    case KeyType::kF64:
      PyErr_Format(PyExc_TypeError, "this filter takes float keys, not %s", what);
      return;
    case KeyType::kBool:
      PyErr_Format(PyExc_TypeError, "this filter takes bool keys, not %s", what);
      return;
  }
}

namespace {

bool refuse_object(const Filter* filter, PyObject* object) {
  PyObject* name = PyType_GetName(Py_TYPE(object));
  const char* text = name != nullptr ? PyUnicode_AsUTF8AndSize(name, nullptr) : nullptr;
  if (text != nullptr) raise_wrong_kind(filter, text, PyIndex_Check(object) != 0);
  Py_XDECREF(name);
  return false;
}

bool is_of_bytes(const char* format) {
  return format == nullptr || std::strcmp(format, "B") == 0 || std::strcmp(format, "b") == 0 ||
         std::strcmp(format, "c") == 0;
}

// bytearray, memoryview and the like: copied, because another thread may change them.
bool bytes_like_key(const Filter* filter, PyObject* object, Key* key) {
  Py_buffer view;
  // Numbers and dates of numpy are buffers of their own bytes: those are no keys here.
  if (!PyObject_CheckBuffer(object) || PyObject_HasAttrString(object, "dtype") != 0)
    return refuse_object(filter, object);
  if (PyObject_GetBuffer(object, &view, PyBUF_FULL_RO) != 0) return false;
  const bool fits = view.ndim == 1 && is_of_bytes(view.format);
  PyBuffer_Release(&view);
  if (!fits) return refuse_object(filter, object);
  key->owner = PyBytes_FromObject(object);
  if (key->owner == nullptr) return false;
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(key->owner, &data, &size) != 0) return false;
  key->data = data;
  key->size = static_cast<std::size_t>(size);
  return true;
}

bool bytes_key(const Filter* filter, PyObject* object, Key* key) {
  Py_ssize_t size = 0;
  if (PyUnicode_Check(object)) {
    key->data = PyUnicode_AsUTF8AndSize(object, &size);
    key->size = static_cast<std::size_t>(size);
    return key->data != nullptr;
  }
  if (!PyBytes_Check(object)) return bytes_like_key(filter, object, key);
  char* data = nullptr;
  if (PyBytes_AsStringAndSize(object, &data, &size) != 0) return false;
  key->data = data;
  key->size = static_cast<std::size_t>(size);
  return true;
}

// Java's chars: a lone surrogate is one of them.
bool utf16_key(const Filter* filter, PyObject* object, Key* key) {
  if (!PyUnicode_Check(object)) return refuse_object(filter, object);
  key->owner = PyUnicode_AsEncodedString(object, "utf-16-le", "surrogatepass");
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (key->owner == nullptr || PyBytes_AsStringAndSize(key->owner, &data, &size) != 0) return false;
  key->data = data;
  key->size = static_cast<std::size_t>(size);
  return true;
}

bool refuse_value(PyObject* object, const char* range) {
  if (PyErr_ExceptionMatches(PyExc_OverflowError) || PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "the key %R is out of range: this filter takes %s", object,
                 range);
  }
  return false;
}

bool integer_key(const Filter* filter, PyObject* object, Key* key) {
  PyObject* number = nullptr;
  if (!PyLong_Check(object)) {
    if (!PyIndex_Check(object)) return refuse_object(filter, object);
    number = PyNumber_Index(object);
    if (number == nullptr) return false;
    object = number;
  }
  const bool is_unsigned = filter->key_type == KeyType::kU64;
  if (is_unsigned)
    key->number = PyLong_AsUnsignedLongLong(object);
  else
    key->number = static_cast<std::uint64_t>(PyLong_AsLongLong(object));
  const bool failed = key->number == ~std::uint64_t{0} && PyErr_Occurred() != nullptr;
  if (failed) refuse_value(object, is_unsigned ? "0 to 2**64 - 1" : "-2**63 to 2**63 - 1");
  Py_XDECREF(number);
  return !failed;
}

bool float_key(const Filter* filter, PyObject* object, Key* key) {
  if (!PyFloat_Check(object) && !PyObject_HasAttrString(object, "__float__"))
    return refuse_object(filter, object);
  if (PyUnicode_Check(object) || PyIndex_Check(object)) return refuse_object(filter, object);
  const double number = PyFloat_AsDouble(object);
  if (number == -1.0 && PyErr_Occurred() != nullptr) return false;
  key->number = 0;
  if (filter->key_type == KeyType::kF64) {
    std::memcpy(&key->number, &number, sizeof number);
    return true;
  }
  const float narrow = static_cast<float>(number);
  if (static_cast<double>(narrow) != number && !std::isnan(number)) {
    PyErr_Format(PyExc_ValueError,
                 "the key %R is no 32-bit float; round it first (numpy.float32(key))", object);
    return false;
  }
  std::memcpy(&key->number, &narrow, sizeof narrow);
  return true;
}

bool bool_key(const Filter* filter, PyObject* object, Key* key) {
  if (object != Py_True && object != Py_False) return refuse_object(filter, object);
  key->number = object == Py_True ? 1 : 0;
  return true;
}

bool convert(const Filter* filter, PyObject* object, Key* key) {
  key->type = filter->key_type;
  switch (key->type) {
    case KeyType::kBytes:
      return bytes_key(filter, object, key);
    case KeyType::kUtf16:
      return utf16_key(filter, object, key);
    case KeyType::kU64:
    case KeyType::kSigned:
      return integer_key(filter, object, key);
    case KeyType::kF32:
    case KeyType::kF64:
      return float_key(filter, object, key);
    case KeyType::kBool:
      break;
  }
  return bool_key(filter, object, key);
}

}  // namespace

bool to_key(const Filter* filter, PyObject* object, Key* key) {
  *key = Key{};
  if (filter->key == nullptr) return convert(filter, object, key);
  PyObject* function = Py_NewRef(filter->key);  // it may replace itself
  PyObject* made = PyObject_CallFunctionObjArgs(function, object, nullptr);
  Py_DECREF(function);
  if (made == nullptr) return false;
  const bool done = convert(filter, made, key);
  if (key->owner == nullptr)
    key->owner = made;
  else
    Py_DECREF(made);
  return done;
}

}  // namespace bloomery::python
