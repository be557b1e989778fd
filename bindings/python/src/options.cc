#include "bindings/python/src/options.h"

#include <cmath>
#include <cstring>

namespace bloomery::python {
namespace {

enum class Kind { kU64, kU32, kSeed, kExpansion, kFloat, kText, kBytes };

struct Field {
  const char* name;  // of the keyword argument
  Kind kind;
  std::size_t offset;
  std::size_t size_offset;  // of bytes
};

#define BLOOMERY_FIELD(type, member, kind) \
  { #member, kind, offsetof(type, member), 0 }

const Field kCreateFields[] = {
    BLOOMERY_FIELD(bloomery_options, keys, Kind::kU64),
    BLOOMERY_FIELD(bloomery_options, rate, Kind::kFloat),
    BLOOMERY_FIELD(bloomery_options, bits, Kind::kU64),
    BLOOMERY_FIELD(bloomery_options, probes, Kind::kU32),
    BLOOMERY_FIELD(bloomery_options, expansion, Kind::kExpansion),
    BLOOMERY_FIELD(bloomery_options, bits_per_key, Kind::kFloat),
    BLOOMERY_FIELD(bloomery_options, blocks, Kind::kU64),
    BLOOMERY_FIELD(bloomery_options, format, Kind::kText),
    BLOOMERY_FIELD(bloomery_options, layout, Kind::kText),
    BLOOMERY_FIELD(bloomery_options, hash, Kind::kText),
    BLOOMERY_FIELD(bloomery_options, seed, Kind::kSeed),
    {"secret", Kind::kBytes, offsetof(bloomery_options, secret),
     offsetof(bloomery_options, secret_size)},
    BLOOMERY_FIELD(bloomery_options, counter_bits, Kind::kU32),
    BLOOMERY_FIELD(bloomery_options, growth, Kind::kU32),
    BLOOMERY_FIELD(bloomery_options, tightening, Kind::kFloat),
    BLOOMERY_FIELD(bloomery_options, max_layers, Kind::kU32),
    BLOOMERY_FIELD(bloomery_options, base_lg, Kind::kU32),
    {"key_type", Kind::kText, offsetof(bloomery_options, funnel), 0},
    BLOOMERY_FIELD(bloomery_options, max_bytes, Kind::kU64),
    BLOOMERY_FIELD(bloomery_options, guava_release, Kind::kText),
    {"user_data", Kind::kBytes, offsetof(bloomery_options, user_data),
     offsetof(bloomery_options, user_data_size)},
    {nullptr, Kind::kU64, 0, 0},
};

const Field kLoadFields[] = {
    {"secret", Kind::kBytes, offsetof(bloomery_load_options, secret),
     offsetof(bloomery_load_options, secret_size)},
    BLOOMERY_FIELD(bloomery_load_options, keys, Kind::kU64),
    BLOOMERY_FIELD(bloomery_load_options, rate, Kind::kFloat),
    BLOOMERY_FIELD(bloomery_load_options, bits, Kind::kU64),
    BLOOMERY_FIELD(bloomery_load_options, probes, Kind::kU32),
    BLOOMERY_FIELD(bloomery_load_options, concurrent, Kind::kU32),
    {"key_type", Kind::kText, offsetof(bloomery_load_options, funnel), 0},
    {nullptr, Kind::kU64, 0, 0},
};

template <class T>
void store(void* to, std::size_t offset, T value) {
  std::memcpy(static_cast<char*>(to) + offset, &value, sizeof value);
}

bool refuse_option(const char* name, PyObject* object, const char* wanted) {
  PyErr_Clear();
  PyErr_Format(PyExc_ValueError, "%s is %R; give %s", name, object, wanted);
  return false;
}

// Whole numbers, and floats without a fraction: 1e6 is a usual way to write a million.
bool read_whole(const char* name, PyObject* object, std::uint64_t smallest, std::uint64_t largest,
                std::uint64_t* value) {
  if (PyFloat_Check(object)) {
    const double number = PyFloat_AsDouble(object);
    if (!(number >= 0 && number < 1.8e19) || number != std::floor(number))
      return refuse_option(name, object, "a whole number");
    *value = static_cast<std::uint64_t>(number);
  } else {
    PyObject* index = PyNumber_Index(object);
    if (index == nullptr) {
      PyErr_Clear();
      PyErr_Format(PyExc_TypeError, "%s is %R; give a whole number", name, object);
      return false;
    }
    *value = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (PyErr_Occurred() != nullptr)
      return refuse_option(name, object, "a whole number from 0 to 2**64 - 1");
  }
  if (*value >= smallest && *value <= largest) return true;
  return refuse_option(name, object,
                       *value < smallest ? "a number above 0" : "a number below 2**32 - 1");
}

bool read_text(const char* name, PyObject* object, const char** text) {
  Py_ssize_t size = 0;
  if (!PyUnicode_Check(object)) {
    PyErr_Format(PyExc_TypeError, "%s is %R; give a str", name, object);
    return false;
  }
  *text = PyUnicode_AsUTF8AndSize(object, &size);
  if (*text == nullptr) return false;
  if (size > 0 && std::strlen(*text) == static_cast<std::size_t>(size)) return true;
  return refuse_option(name, object, "a name");
}

bool read_bytes(const Field& field, PyObject* object, void* to) {
  Py_ssize_t size = 0;
  char* data = nullptr;
  if (PyBytes_AsStringAndSize(object, &data, &size) != 0) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s must be str or bytes", field.name);
    return false;
  }
  store<const void*>(to, field.offset, data);
  store(to, field.size_offset, static_cast<std::size_t>(size));
  return true;
}

bool read_float(const Field& field, PyObject* object, void* to) {
  const double number = PyFloat_AsDouble(object);
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s is %R; give a number", field.name, object);
    return false;
  }
  if (!(number > 0)) return refuse_option(field.name, object, "a number above 0");  // nan too
  store(to, field.offset, number);
  return true;
}

bool read_field(const Field& field, PyObject* object, void* to) {
  constexpr std::uint64_t kLargest = ~std::uint64_t{0};
  std::uint64_t value = 0;
  switch (field.kind) {
    case Kind::kU64:
      if (!read_whole(field.name, object, 1, kLargest, &value)) return false;
      store(to, field.offset, value);
      return true;
    case Kind::kSeed:
      if (!read_whole(field.name, object, 0, kLargest, &value)) return false;
      store(to, field.offset, value);
      return true;
    case Kind::kU32:
      if (!read_whole(field.name, object, 1, UINT32_MAX - 1, &value)) return false;
      store(to, field.offset, static_cast<std::uint32_t>(value));
      return true;
    case Kind::kExpansion:  // 0: the filter does not grow
      if (!read_whole(field.name, object, 0, UINT32_MAX - 1, &value)) return false;
      store(to, field.offset,
            value == 0 ? BLOOMERY_NO_EXPANSION : static_cast<std::uint32_t>(value));
      return true;
    case Kind::kFloat:
      return read_float(field, object, to);
    case Kind::kText: {
      const char* text = nullptr;
      if (!read_text(field.name, object, &text)) return false;
      store(to, field.offset, text);
      return true;
    }
    case Kind::kBytes:
      break;
  }
  return read_bytes(field, object, to);
}

bool read_dict(PyObject* dict, const Field* fields, void* to) {
  if (!PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "the options are not a dict");
    return false;
  }
  PyObject* name = nullptr;
  PyObject* object = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &name, &object) != 0) {
    const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
    if (text == nullptr) return false;
    const Field* field = fields;
    while (field->name != nullptr && std::strcmp(field->name, text) != 0) ++field;
    if (field->name == nullptr) {
      PyErr_Format(PyExc_TypeError, "there is no option %R", name);
      return false;
    }
    if (!read_field(*field, object, to)) return false;
  }
  return true;
}

}  // namespace

bool read_options(PyObject* dict, bloomery_options* options) {
  return read_dict(dict, kCreateFields, options);
}
bool read_load_options(PyObject* dict, bloomery_load_options* options) {
  return read_dict(dict, kLoadFields, options);
}

bool read_number(const char* name, PyObject* object, std::uint64_t* number) {
  return read_whole(name, object, 1, ~std::uint64_t{0}, number);
}
bool read_limit(PyObject* object, std::uint64_t* limit) {
  *limit = 0;
  return object == Py_None || read_number("max_bytes", object, limit);
}

}  // namespace bloomery::python
