// Methods with a leading underscore: the C interface as the Python part of the package needs it.
#include <cstring>

#include "bindings/python/src/filter.h"
#include "bindings/python/src/options.h"

namespace bloomery::python {
namespace {

Filter* handle_of(PyObject* object) { return reinterpret_cast<Filter*>(object); }

// Takes the reference. The old function is released last: that may run Python code.
void replace_key(Filter* filter, PyObject* key) {
  PyObject* old = filter->key;
  filter->key = key;
  Py_XDECREF(old);
}

bool is_filter(PyObject* object) {
  if (PyObject_TypeCheck(object, filter_type())) return true;
  PyErr_SetString(PyExc_TypeError, "a filter is wanted");
  return false;
}

// Makes a filter with make(&handle) -> code, without the GIL, and gives it to the object.
template <class Make>
PyObject* adopt_made(PyObject* self, bool is_decoding, Make make) {
  bloomery_filter* made = nullptr;
  const Outcome outcome = without_gil([&] { return make(&made); });
  if (outcome.code != BLOOMERY_OK) {
    if (is_decoding)
      raise_decode_error(outcome.code, outcome.error_number);
    else
      raise_create_error(outcome.code, outcome.error_number);
    return nullptr;
  }
  if (!adopt(handle_of(self), made)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* create(PyObject* self, PyObject* dict) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  if (!read_options(dict, &options)) return nullptr;
  return adopt_made(self, false,
                    [&](bloomery_filter** made) { return bloomery_create(&options, made); });
}

// Makes a filter from another one, which stays as it is.
template <class Make>
PyObject* adopt_from(PyObject* self, PyObject* other, Make make) {
  if (!is_filter(other)) return nullptr;
  Filter* from = handle_of(other);
  bloomery_filter* made = nullptr;
  if (!run(from, Use::kRead, [&] { return make(from->handle, &made); })) return nullptr;
  if (!adopt(handle_of(self), made)) return nullptr;
  PyObject* key = handle_of(other)->key;
  Py_XINCREF(key);
  replace_key(handle_of(self), key);
  Py_RETURN_NONE;
}

PyObject* clone(PyObject* self, PyObject* other) {
  return adopt_from(self, other, [](const bloomery_filter* from, bloomery_filter** made) {
    return bloomery_clone(from, made);
  });
}

// Moves the filter of an object that no other thread knows.
PyObject* take(PyObject* self, PyObject* other) {
  if (!is_filter(other) || !is_usable(handle_of(other), Use::kWrite)) return nullptr;
  bloomery_filter* handle = handle_of(other)->handle;
  handle_of(other)->handle = nullptr;
  if (!adopt(handle_of(self), handle)) return nullptr;
  Py_RETURN_NONE;
}

PyObject* fold(PyObject* self, PyObject* args) {
  PyObject* other = nullptr;
  PyObject* number = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &other, &number)) return nullptr;
  std::uint64_t factor = 0;
  if (!read_number("factor", number, &factor)) return nullptr;
  return adopt_from(self, other, [&](const bloomery_filter* from, bloomery_filter** made) {
    return bloomery_fold(from, factor, made);
  });
}

PyObject* decode(PyObject* self, PyObject* args) {
  PyObject* source = nullptr;
  const char* format = nullptr;
  PyObject* limit = nullptr;
  PyObject* dict = nullptr;
  if (!PyArg_ParseTuple(args, "OzOO", &source, &format, &limit, &dict)) return nullptr;
  if (!PyObject_CheckBuffer(source)) {
    PyErr_SetString(PyExc_TypeError, "the bytes of a filter must be a bytes-like object");
    return nullptr;
  }
  // A copy of what another thread could change while it is decoded.
  PyObject* bytes = PyBytes_CheckExact(source) ? Py_NewRef(source) : PyBytes_FromObject(source);
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (bytes == nullptr || PyBytes_AsStringAndSize(bytes, &data, &size) != 0) {
    Py_XDECREF(bytes);
    return nullptr;
  }
  bloomery_load_options options = BLOOMERY_LOAD_OPTIONS_INIT;
  std::uint64_t max_bytes = 0;
  PyObject* done = nullptr;
  if (read_load_options(dict, &options) && read_limit(limit, &max_bytes))
    done = adopt_made(self, true, [&](bloomery_filter** made) {
      return bloomery_decode(data, static_cast<std::size_t>(size), format, max_bytes, &options,
                             made);
    });
  Py_DECREF(bytes);
  return done;
}

PyObject* load(PyObject* self, PyObject* args) {
  PyObject* path = nullptr;
  const char* format = nullptr;
  PyObject* limit = nullptr;
  PyObject* dict = nullptr;
  if (!PyArg_ParseTuple(args, "O&zOO", PyUnicode_FSConverter, &path, &format, &limit, &dict))
    return nullptr;
  bloomery_load_options options = BLOOMERY_LOAD_OPTIONS_INIT;
  std::uint64_t max_bytes = 0;
  PyObject* done = nullptr;
  const char* name = PyBytes_AsString(path);
  if (read_load_options(dict, &options) && read_limit(limit, &max_bytes))
    done = adopt_made(self, true, [&](bloomery_filter** made) {
      return bloomery_load(name, format, max_bytes, &options, made);
    });
  Py_DECREF(path);
  return done;
}

PyObject* map(PyObject* self, PyObject* args) {
  PyObject* path = nullptr;
  PyObject* dict = nullptr;
  if (!PyArg_ParseTuple(args, "O&O", PyUnicode_FSConverter, &path, &dict)) return nullptr;
  bloomery_load_options options = BLOOMERY_LOAD_OPTIONS_INIT;
  PyObject* done = nullptr;
  const char* name = PyBytes_AsString(path);
  if (read_load_options(dict, &options))
    done = adopt_made(self, true,
                      [&](bloomery_filter** made) { return bloomery_map(name, &options, made); });
  Py_DECREF(path);
  return done;
}

PyObject* encode(PyObject* self, PyObject* args) {
  const char* format = nullptr;
  if (!PyArg_ParseTuple(args, "z", &format)) return nullptr;
  Filter* filter = handle_of(self);
  void* data = nullptr;
  std::size_t size = 0;
  const bool done = run(filter, Use::kRead,
                        [&] { return bloomery_encode(filter->handle, format, &data, &size); });
  if (!done) return nullptr;
  PyObject* bytes =
      PyBytes_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(size));
  bloomery_free_bytes(data);
  return bytes;
}

PyObject* save(PyObject* self, PyObject* args) {
  PyObject* path = nullptr;
  const char* format = nullptr;
  if (!PyArg_ParseTuple(args, "O&z", PyUnicode_FSConverter, &path, &format)) return nullptr;
  Filter* filter = handle_of(self);
  const char* name = PyBytes_AsString(path);
  const bool done =
      run(filter, Use::kRead, [&] { return bloomery_save(filter->handle, name, format); });
  Py_DECREF(path);
  if (!done) return nullptr;
  Py_RETURN_NONE;
}

PyObject* verify(PyObject* self, PyObject*) {
  Filter* filter = handle_of(self);
  if (!run(filter, Use::kRead, [&] { return bloomery_verify(filter->handle); })) return nullptr;
  Py_RETURN_NONE;
}

// combine(into, from) -> code, of two filters that are not the same object.
template <class Combine>
PyObject* combine(PyObject* self, PyObject* other, Combine work) {
  if (!is_filter(other)) return nullptr;
  if (self == other) {
    PyErr_SetString(PyExc_ValueError, "a filter cannot be combined with itself; copy it first");
    return nullptr;
  }
  Filter* into = handle_of(self);
  Filter* from = handle_of(other);
  if (!begin_both(into, Use::kWrite, from)) return nullptr;
  const Outcome outcome = without_gil([&] { return work(into->handle, from->handle); });
  end(into, Use::kWrite);
  end(from, Use::kRead);
  if (outcome.code != BLOOMERY_OK) {
    raise_error(outcome.code, outcome.error_number);
    return nullptr;
  }
  Py_RETURN_NONE;
}
PyObject* merge(PyObject* self, PyObject* other) { return combine(self, other, bloomery_merge); }
PyObject* intersect(PyObject* self, PyObject* other) {
  return combine(self, other, bloomery_intersect);
}

template <class Compare>
PyObject* compare(PyObject* self, PyObject* other, Compare work) {
  if (!is_filter(other)) return nullptr;
  Filter* first = handle_of(self);
  Filter* second = handle_of(other);
  if (!begin_both(first, Use::kRead, second)) return nullptr;
  int answer = 0;
  const Outcome outcome = without_gil([&] { return work(first->handle, second->handle, &answer); });
  end(first, Use::kRead);
  end(second, Use::kRead);
  if (outcome.code == BLOOMERY_OK) return PyBool_FromLong(answer);
  raise_error(outcome.code, outcome.error_number);
  return nullptr;
}
PyObject* equal(PyObject* self, PyObject* other) { return compare(self, other, bloomery_equal); }
PyObject* is_subset(PyObject* self, PyObject* other) {
  return compare(self, other, bloomery_is_subset);
}
PyObject* compatible(PyObject* self, PyObject* other) {
  return compare(self, other, bloomery_compatible);
}

PyObject* health(PyObject* self, PyObject*) {
  Filter* filter = handle_of(self);
  bloomery_health health = BLOOMERY_HEALTH_INIT;
  if (!run(filter, Use::kRead, [&] { return bloomery_get_health(filter->handle, &health); }))
    return nullptr;
  PyObject* inserted = health.keys_inserted == BLOOMERY_UNKNOWN
                           ? Py_NewRef(Py_None)
                           : PyLong_FromUnsignedLongLong(health.keys_inserted);
  if (inserted == nullptr) return nullptr;
  return Py_BuildValue("dddNKdIO", health.fill, health.estimated_keys, health.rate, inserted,
                       static_cast<unsigned long long>(health.goal_keys), health.goal_rate,
                       static_cast<unsigned>(health.verdict),
                       health.sampled != 0 ? Py_True : Py_False);
}

PyObject* info(PyObject* self, PyObject*) {
  Filter* filter = handle_of(self);
  bloomery_info info = BLOOMERY_INFO_INIT;
  if (!is_usable(filter, Use::kRead)) return nullptr;
  if (const int code = bloomery_get_info(filter->handle, &info); code != BLOOMERY_OK) {
    raise_error(code, errno);
    return nullptr;
  }
  return Py_BuildValue(
      "ssssKKKIOOO", info.format, info.layout, info.funnel, info.hash,
      static_cast<unsigned long long>(info.seed), static_cast<unsigned long long>(info.bits),
      static_cast<unsigned long long>(info.bytes), static_cast<unsigned>(info.probes),
      info.keyed != 0 ? Py_True : Py_False, info.mapped != 0 ? Py_True : Py_False,
      info.is_open != 0 ? Py_True : Py_False);
}

PyObject* describe(PyObject* self, PyObject* args) {
  int is_measured = 0;
  if (!PyArg_ParseTuple(args, "p", &is_measured)) return nullptr;
  Filter* filter = handle_of(self);
  char* json = nullptr;
  const std::uint32_t flags = is_measured != 0 ? BLOOMERY_DESCRIBE_MEASURED : 0;
  if (!run(filter, Use::kRead, [&] { return bloomery_describe(filter->handle, flags, &json); }))
    return nullptr;
  PyObject* text =
      PyUnicode_DecodeUTF8(json, static_cast<Py_ssize_t>(std::strlen(json)), "replace");
  bloomery_free_bytes(json);
  return text;
}

PyObject* close(PyObject* self, PyObject*) {
  Filter* filter = handle_of(self);
  if (filter->handle != nullptr) {
    if (!is_usable(filter, Use::kWrite)) return nullptr;
    bloomery_free(filter->handle);
    filter->handle = nullptr;
  }
  Py_RETURN_NONE;
}

PyObject* is_closed(PyObject* self, PyObject*) {
  return PyBool_FromLong(handle_of(self)->handle == nullptr);
}

PyObject* set_key(PyObject* self, PyObject* function) {
  if (function != Py_None && !PyCallable_Check(function)) {
    PyErr_Format(PyExc_TypeError, "key is %R; give a function", function);
    return nullptr;
  }
  PyObject* key = function != Py_None ? Py_NewRef(function) : nullptr;
  replace_key(handle_of(self), key);
  Py_RETURN_NONE;
}

PyObject* get_key(PyObject* self, PyObject*) {
  PyObject* key = handle_of(self)->key;
  return Py_NewRef(key != nullptr ? key : Py_None);
}

}  // namespace

PyMethodDef handle_methods[] = {{"_create", create, METH_O, nullptr},
                                {"_clone", clone, METH_O, nullptr},
                                {"_take", take, METH_O, nullptr},
                                {"_fold", fold, METH_VARARGS, nullptr},
                                {"_decode", decode, METH_VARARGS, nullptr},
                                {"_load", load, METH_VARARGS, nullptr},
                                {"_map", map, METH_VARARGS, nullptr},
                                {"_encode", encode, METH_VARARGS, nullptr},
                                {"_save", save, METH_VARARGS, nullptr},
                                {"_verify", verify, METH_NOARGS, nullptr},
                                {"_merge", merge, METH_O, nullptr},
                                {"_intersect", intersect, METH_O, nullptr},
                                {"_equal", equal, METH_O, nullptr},
                                {"_is_subset", is_subset, METH_O, nullptr},
                                {"_compatible", compatible, METH_O, nullptr},
                                {"_health", health, METH_NOARGS, nullptr},
                                {"_info", info, METH_NOARGS, nullptr},
                                {"_describe", describe, METH_VARARGS, nullptr},
                                {"_close", close, METH_NOARGS, nullptr},
                                {"_is_closed", is_closed, METH_NOARGS, nullptr},
                                {"_set_key", set_key, METH_O, nullptr},
                                {"_get_key", get_key, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace bloomery::python
