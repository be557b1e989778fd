// The module bloomery._bloomery.
#include <pthread.h>

#include "bindings/python/src/filter.h"
#include "bindings/python/src/options.h"

namespace bloomery::python {
namespace {

PyObject* size(PyObject*, PyObject* dict) {
  bloomery_options options = BLOOMERY_OPTIONS_INIT;
  bloomery_sizing sizing = BLOOMERY_SIZING_INIT;
  if (!read_options(dict, &options)) return nullptr;
  if (const int code = bloomery_size(&options, &sizing); code != BLOOMERY_OK) {
    raise_error(code, 0);
    return nullptr;
  }
  return Py_BuildValue("KdKKIs", static_cast<unsigned long long>(sizing.keys), sizing.rate,
                       static_cast<unsigned long long>(sizing.bits),
                       static_cast<unsigned long long>(sizing.bytes),
                       static_cast<unsigned>(sizing.probes), sizing.layout);
}

PyObject* formats(PyObject*, PyObject*) {
  PyObject* list = PyList_New(0);
  if (list == nullptr) return nullptr;
  for (const char* const* name = bloomery_formats(); *name != nullptr; ++name) {
    std::uint32_t flags = 0;
    if (const int code = bloomery_format_flags(*name, &flags); code != BLOOMERY_OK) {
      raise_error(code, 0);
      Py_DECREF(list);
      return nullptr;
    }
    PyObject* row =
        Py_BuildValue("sOO", *name, (flags & BLOOMERY_FORMAT_RECOGNIZED) != 0 ? Py_True : Py_False,
                      (flags & BLOOMERY_FORMAT_CREATED) != 0 ? Py_True : Py_False);
    const bool failed = row == nullptr || PyList_Append(list, row) != 0;
    Py_XDECREF(row);
    if (failed) {
      Py_DECREF(list);
      return nullptr;
    }
  }
  return list;
}

void count_fork() { ++forks_now; }

// The types and the exception belong to the first interpreter that imports the module.
bool is_main_interpreter() {
  static PyInterpreterState* owner = nullptr;
  PyInterpreterState* here = PyInterpreterState_Get();
  if (owner == nullptr) {
    owner = here;
    pthread_atfork(nullptr, nullptr, count_fork);
  }
  if (owner == here) return true;
  PyErr_SetString(PyExc_ImportError, "bloomery works in the main interpreter of a process only");
  return false;
}

int execute(PyObject* module) {
  if (!is_main_interpreter()) return -1;
  if (filter_type() == nullptr && make_filter_type(module) == nullptr) return -1;
  if (format_error == nullptr)
    format_error = PyErr_NewExceptionWithDoc(
        "bloomery.FormatError", "The bytes are not a filter of that format, or are damaged.",
        PyExc_ValueError, nullptr);
  if (format_error == nullptr) return -1;
  if (PyModule_AddObjectRef(module, "FormatError", format_error) != 0) return -1;
  PyObject* type = reinterpret_cast<PyObject*>(filter_type());
  if (PyModule_AddObjectRef(module, "Filter", type) != 0) return -1;
  return PyModule_AddStringConstant(module, "version", bloomery_version());
}

PyMethodDef functions[] = {{"size", size, METH_O, nullptr},
                           {"formats", formats, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(execute)}, {0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "bloomery._bloomery",
                          "The part of the package bloomery that is written in C++.",
                          0,
                          functions,
                          slots,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace
}  // namespace bloomery::python

PyMODINIT_FUNC PyInit__bloomery() { return PyModuleDef_Init(&bloomery::python::definition); }
