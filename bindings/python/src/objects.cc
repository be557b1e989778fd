// Batches of Python objects: each becomes a key with the GIL held, and a chunk of keys then enters
// or meets the filter without it.
#include <algorithm>
#include <cstring>

#include "bindings/python/src/batches.h"

namespace bloomery::python {
namespace {

constexpr std::size_t kChunkObjects = 8192;

// Adds to the exception which key it is about; traceback shows it.
void note_position(std::size_t position) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  char note[64];
  PyOS_snprintf(note, sizeof note, "at key %zu, counted from 0", position);
  PyObject* done = PyObject_CallMethod(value, "add_note", "s", note);
  if (done == nullptr) PyErr_Clear();
  Py_XDECREF(done);
  PyErr_Restore(type, value, traceback);
}

// Keys whose objects are kept alive until the chunk was used.
class ObjectChunk {
 public:
  ObjectChunk(Batch& batch, std::size_t expected)
      : batch_{batch},
        capacity_{std::clamp<std::size_t>(expected, 16, kChunkObjects)},
        type_{batch.filter()->key_type},
        is_numbers_{has_number_keys(type_)},
        width_{width_of(type_)},
        owners_{capacity_},
        keys_{is_numbers_ ? 0 : capacity_},
        numbers_{is_numbers_ ? capacity_ : 0} {}
  ObjectChunk(const ObjectChunk&) = delete;
  ObjectChunk& operator=(const ObjectChunk&) = delete;
  ~ObjectChunk() { release(); }

  // False for both: an exception is set.
  bool is_made() const {
    return owners_.data() != nullptr && keys_.data() != nullptr && numbers_.data() != nullptr;
  }
  // Takes over the reference to a str of a filter without a key= function: the usual case.
  bool push_text(PyObject* text) {
    if (count_ == capacity_ && !flush()) {
      Py_DECREF(text);
      return false;
    }
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) {
      note_position(batch_.size() + count_);
      Py_DECREF(text);
      return false;
    }
    keys_[count_] = {data, static_cast<std::size_t>(size)};
    owners_[count_++] = text;
    return true;
  }
  bool takes_text() const {
    return type_ == KeyType::kBytes && batch_.filter()->key == nullptr &&
           batch_.filter()->key_type == type_;
  }

  bool push(PyObject* object) {
    if (count_ == capacity_ && !flush()) return false;
    Key key;
    if (!to_key(batch_.filter(), object, &key)) {
      note_position(batch_.size() + count_);
      Py_XDECREF(key.owner);
      return false;
    }
    if (key.type != type_) {
      Py_XDECREF(key.owner);
      PyErr_SetString(PyExc_RuntimeError, "the filter was replaced while its keys were read");
      return false;
    }
    if (is_numbers_) {
      std::memcpy(reinterpret_cast<char*>(numbers_.data()) + count_ * width_, &key.number, width_);
      owners_[count_] = key.owner;
    } else {
      keys_[count_] = {key.data, key.size};
      owners_[count_] = key.owner != nullptr ? key.owner : Py_NewRef(object);
    }
    ++count_;
    return true;
  }
  bool flush() {
    if (count_ == 0) return true;
    bloomery_keys keys = BLOOMERY_KEYS_INIT;
    keys.count = count_;
    keys.data = is_numbers_ ? static_cast<const void*>(numbers_.data()) : keys_.data();
    keys.type = !is_numbers_              ? BLOOMERY_KEYS_BYTES
                : type_ == KeyType::kU64  ? BLOOMERY_KEYS_U64
                : has_integer_keys(type_) ? BLOOMERY_KEYS_I64
                                          : BLOOMERY_KEYS_FIXED;
    keys.width = width_;
    const bool done = batch_.add(keys);
    release();
    return done;
  }

 private:
  void release() {
    for (std::size_t i = 0; i < count_; ++i) Py_XDECREF(owners_[i]);
    count_ = 0;
  }

  Batch& batch_;
  std::size_t capacity_;
  KeyType type_;
  bool is_numbers_;
  std::uint32_t width_;
  Scratch<PyObject*> owners_;
  Scratch<bloomery_key> keys_;
  Scratch<std::uint64_t> numbers_;
  std::size_t count_ = 0;
};

// A sequence whose items are borrowed: it may change while a key= function runs.
template <class Size, class Item>
bool add_sequence(Batch& batch, PyObject* sequence, Size size, Item item) {
  ObjectChunk chunk{batch, static_cast<std::size_t>(size(sequence))};
  if (!chunk.is_made()) return false;
  for (Py_ssize_t i = 0; i < size(sequence); ++i) {
    PyObject* object = Py_NewRef(item(sequence, i));
    if (chunk.takes_text() && PyUnicode_Check(object)) {
      if (!chunk.push_text(object)) return false;
      continue;
    }
    const bool done = chunk.push(object);
    Py_DECREF(object);
    if (!done) return false;
  }
  return chunk.flush();
}

}  // namespace

bool add_list(Batch& batch, PyObject* list) {
  return add_sequence(batch, list, PyList_Size, PyList_GetItem);
}
bool add_tuple(Batch& batch, PyObject* tuple) {
  return add_sequence(batch, tuple, PyTuple_Size, PyTuple_GetItem);
}

bool add_iterable(Batch& batch, PyObject* iterable) {
  PyObject* iterator = PyObject_GetIter(iterable);
  if (iterator == nullptr) return false;
  ObjectChunk chunk{batch, kChunkObjects};
  bool done = chunk.is_made();
  while (done) {
    PyObject* object = PyIter_Next(iterator);
    if (object == nullptr) {
      done = PyErr_Occurred() == nullptr && chunk.flush();
      break;
    }
    done = chunk.push(object);
    Py_DECREF(object);
  }
  Py_DECREF(iterator);
  return done;
}

bool add_object_array(Batch& batch, const char* data, Py_ssize_t stride, std::size_t count) {
  ObjectChunk chunk{batch, count};
  if (!chunk.is_made()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* object;
    std::memcpy(&object, data + static_cast<Py_ssize_t>(i) * stride, sizeof object);
    if (object == nullptr) object = Py_None;  // numpy's way to store it
    Py_INCREF(object);
    const bool done = chunk.push(object);
    Py_DECREF(object);
    if (!done) return false;
  }
  return chunk.flush();
}

}  // namespace bloomery::python
