// A Python object as a key.
#pragma once
#include "bindings/python/src/filter.h"

namespace bloomery::python {

struct Key {
  KeyType type;          // of the filter when the key was made: another thread may replace it
  const void* data;      // of keys of bytes: in the object, or in `owner`
  std::size_t size;      // of keys of bytes
  std::uint64_t number;  // of other keys: their little-endian bytes, from the lowest
  PyObject* owner;       // a reference, or NULL: what must outlive the key
};

bool has_number_keys(KeyType type);  // whether Key::number is used
bool has_integer_keys(KeyType type);
std::uint32_t width_of(KeyType type);  // of f32, f64 and bool

// The key that an object means to this filter, after its key= function. False: an exception is
// set. May run Python code; the caller then releases key->owner. Never calls hash().
bool to_key(const Filter* filter, PyObject* object, Key* key);

// "this filter takes str and bytes keys, not WHAT; ...": for objects and arrays that are no keys.
void raise_wrong_kind(const Filter* filter, const char* what, bool is_whole_number);

}  // namespace bloomery::python
