// Keyword arguments as the structures of the C interface.
#pragma once
#include "bindings/python/src/filter.h"

namespace bloomery::python {

// Read a dict whose values are not None. The strings and bytes belong to the dict. False: an
// exception is set.
bool read_options(PyObject* dict, bloomery_options* options);
bool read_load_options(PyObject* dict, bloomery_load_options* options);

// A whole number from 1 to 2**64 - 1; a ValueError names it otherwise.
bool read_number(const char* name, PyObject* object, std::uint64_t* number);
// A size that may be None: 0 then.
bool read_limit(PyObject* object, std::uint64_t* limit);

}  // namespace bloomery::python
