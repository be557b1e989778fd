// Keyword arguments as the structures of the C interface.
#pragma once
#include "bindings/python/src/filter.h"

namespace bloomery::python {

// Read a dict whose values are not None. The strings and bytes belong to the dict. False: an
// exception is set.
bool read_options(PyObject* dict, bloomery_options* options);
bool read_load_options(PyObject* dict, bloomery_load_options* options);

// A size that may be None: 0 then.
bool read_limit(PyObject* object, std::uint64_t* limit);

}  // namespace bloomery::python
