// Many keys in one call: what is done with them, and where the answers go.
#pragma once
#include "bindings/python/src/keys.h"

namespace bloomery::python {

enum class Work : std::uint8_t { kInsert, kLookUp, kRemove };

// One call of update(), contains_many() and the like. Answers grow with the keys, because iterators
// do not say how many they have.
class Batch {
 public:
  // `wants_answers`: one byte per key; otherwise only their number is kept.
  Batch(Filter* filter, Work work, bool wants_answers)
      : filter_{filter}, work_{work}, wants_answers_{wants_answers} {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() { Py_XDECREF(answers_); }

  Filter* filter() const { return filter_; }
  // The functions below return false with an exception set.
  // Takes keys from whatever holds them: arrays, columns of Arrow, lists, iterators.
  bool add_all(PyObject* source);
  // Keys that lie in memory which no other thread changes. Runs without the GIL.
  bool add(const bloomery_keys& keys);
  bool add_nulls(std::size_t count);

  std::size_t yes() const { return yes_; }    // how many answers are 1
  PyObject* take_answers();                   // a bytearray with a byte per key
  std::size_t size() const { return size_; }  // keys so far

 private:
  std::uint8_t* place_for(std::size_t count);
  int call(const bloomery_keys& keys, std::uint8_t* out, std::size_t* yes) const;

  Filter* filter_;
  Work work_;
  bool wants_answers_;
  PyObject* answers_ = nullptr;
  std::size_t size_ = 0;
  std::size_t yes_ = 0;
};

// Keys of Python objects: lists, tuples and iterators.
bool add_list(Batch& batch, PyObject* list);
bool add_tuple(Batch& batch, PyObject* tuple);
bool add_iterable(Batch& batch, PyObject* iterable);
bool add_object_array(Batch& batch, const char* data, Py_ssize_t stride, std::size_t count);
// Keys in memory: numpy arrays and other buffers.
bool add_buffer(Batch& batch, PyObject* array);
// Keys of Arrow's C data interface.
bool add_arrow_array(Batch& batch, PyObject* source);
bool add_arrow_stream(Batch& batch, PyObject* source);

// Memory for a chunk; freed with the scope. Null data(): an exception is set.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t count)
      : data_{static_cast<T*>(PyMem_Malloc(count * sizeof(T) + 1))} {
    if (data_ == nullptr) PyErr_NoMemory();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { PyMem_Free(data_); }
  T* data() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
};

}  // namespace bloomery::python
