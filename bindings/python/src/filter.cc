// The type bloomery._bloomery.Filter: what users call with keys, and the life of the object.
#include "bindings/python/src/filter.h"

#include <cstring>
#include <initializer_list>

#include "bindings/python/src/batches.h"

namespace bloomery::python {
namespace {

PyTypeObject* the_filter_type = nullptr;

Filter* as_filter(PyObject* object) { return reinterpret_cast<Filter*>(object); }

KeyType key_type_of(const char* funnel) {
  const struct {
    const char* name;
    KeyType type;
  } types[] = {{"bytes", KeyType::kBytes}, {"utf16", KeyType::kUtf16}, {"u64", KeyType::kU64},
               {"f32", KeyType::kF32},     {"f64", KeyType::kF64},     {"bool", KeyType::kBool}};
  for (const auto& row : types)
    if (std::strcmp(row.name, funnel) == 0) return row.type;
  return funnel[0] == 'i' ? KeyType::kSigned : KeyType::kBytes;
}

// One key, with the GIL held: `use` must be possible. Returns 1, 0 or -1 with an exception.
int insert_one(Filter* filter, const Key& key) {
  std::uint8_t is_new = 0;
  int answer = 0;
  int code = BLOOMERY_OK;
  switch (key.type) {
    case KeyType::kBytes:
    case KeyType::kUtf16:
      code = bloomery_insert_one(filter->handle, key.data, key.size, &answer);
      break;
    case KeyType::kU64:
      code = bloomery_insert_u64(filter->handle, &key.number, 1, &is_new, nullptr);
      break;
    case KeyType::kSigned: {
      const auto number = static_cast<std::int64_t>(key.number);
      code = bloomery_insert_i64(filter->handle, &number, 1, &is_new, nullptr);
      break;
    }
    default:
      code = bloomery_insert_one(filter->handle, &key.number, width_of(key.type), &answer);
  }
  if (code == BLOOMERY_OK) return answer != 0 || is_new != 0 ? 1 : 0;
  raise_error(code, errno);
  return -1;
}

int look_up_one(Filter* filter, const Key& key) {
  std::uint8_t found = 0;
  int answer = 0;
  int code = BLOOMERY_OK;
  switch (key.type) {
    case KeyType::kBytes:
    case KeyType::kUtf16:
      code = bloomery_may_contain_one(filter->handle, key.data, key.size, &answer);
      break;
    case KeyType::kU64:
      code = bloomery_may_contain_u64(filter->handle, &key.number, 1, &found, nullptr);
      break;
    case KeyType::kSigned: {
      const auto number = static_cast<std::int64_t>(key.number);
      code = bloomery_may_contain_i64(filter->handle, &number, 1, &found, nullptr);
      break;
    }
    default:
      code = bloomery_may_contain_one(filter->handle, &key.number, width_of(key.type), &answer);
  }
  if (code == BLOOMERY_OK) return answer != 0 || found != 0 ? 1 : 0;
  raise_error(code, errno);
  return -1;
}

int contains(PyObject* self, PyObject* object) {
  Filter* filter = as_filter(self);
  Key key;
  int answer = -1;
  if (to_key(filter, object, &key) && is_usable(filter, Use::kRead))
    answer = look_up_one(filter, key);
  Py_XDECREF(key.owner);
  return answer;
}

PyObject* add(PyObject* self, PyObject* object) {
  Filter* filter = as_filter(self);
  Key key;
  int is_new = -1;
  if (to_key(filter, object, &key) && is_usable(filter, use_of_insert(filter)))
    is_new = insert_one(filter, key);
  Py_XDECREF(key.owner);
  return is_new < 0 ? nullptr : PyBool_FromLong(is_new);
}

PyObject* update(PyObject* self, PyObject* const* sources, Py_ssize_t count) {
  Batch batch{as_filter(self), Work::kInsert, false};
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!batch.add_all(sources[i])) return nullptr;
  return PyLong_FromSize_t(batch.yes());
}

PyObject* many(PyObject* self, PyObject* source, Work work) {
  Batch batch{as_filter(self), work, true};
  return batch.add_all(source) ? batch.take_answers() : nullptr;
}
PyObject* add_many(PyObject* self, PyObject* source) { return many(self, source, Work::kInsert); }
PyObject* contains_many(PyObject* self, PyObject* source) {
  return many(self, source, Work::kLookUp);
}
PyObject* remove_many(PyObject* self, PyObject* source) {
  return many(self, source, Work::kRemove);
}

PyObject* count_in(PyObject* self, PyObject* source) {
  Batch batch{as_filter(self), Work::kLookUp, false};
  return batch.add_all(source) ? PyLong_FromSize_t(batch.yes()) : nullptr;
}

PyObject* discard(PyObject* self, PyObject* object) {
  Batch batch{as_filter(self), Work::kRemove, false};
  PyObject* one = PyTuple_Pack(1, object);
  if (one == nullptr) return nullptr;
  const bool done = add_tuple(batch, one);
  Py_DECREF(one);
  return done ? PyBool_FromLong(batch.yes() != 0) : nullptr;
}

PyObject* clear_keys(PyObject* self, PyObject*) {
  Filter* filter = as_filter(self);
  if (!run(filter, Use::kWrite, [&] { return bloomery_clear(filter->handle); })) return nullptr;
  Py_RETURN_NONE;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_filter(self)->key);
  return 0;
}
int clear_references(PyObject* self) {
  Py_CLEAR(as_filter(self)->key);
  return 0;
}
void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear_references(self);
  bloomery_free(as_filter(self)->handle);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

#define BLOOMERY_SLOT(name, function) \
  { name, reinterpret_cast<void*>(function) }

}  // namespace

PyMethodDef filter_methods[] = {
    {"add", add, METH_O,
     "add($self, key, /)\n--\n\nInserts a key. Returns True where it was certainly new, and False "
     "where the filter\nmay have contained it before.\n\n>>> from bloomery import Bloom\n"
     ">>> seen = Bloom(1000)\n>>> seen.add(\"apple\"), seen.add(\"apple\")\n(True, False)\n"},
    {"update", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(update)), METH_FASTCALL,
     "update($self, /, *sources)\n--\n\nInserts all keys of lists, iterators, numpy arrays or "
     "Arrow "
     "columns. Returns how many\nwere certainly new. After an exception the keys before it are "
     "in.\n\n>>> from bloomery import Bloom\n>>> Bloom(1000).update([\"apple\", \"pear\"], "
     "{\"fig\"})\n3\n"},
    {"_add_many", add_many, METH_O, nullptr},
    {"_contains_many", contains_many, METH_O, nullptr},
    {"_remove_many", remove_many, METH_O, nullptr},
    {"_discard", discard, METH_O, nullptr},
    {"count", count_in, METH_O,
     "count($self, keys, /)\n--\n\nHow many of the keys the filter may contain.\n\n"
     ">>> from bloomery import Bloom\n>>> seen = Bloom(1000)\n>>> seen.update([\"apple\", "
     "\"pear\"])\n2\n>>> seen.count([\"apple\", \"pear\", \"fig\"])\n2\n"},
    {"clear", clear_keys, METH_NOARGS,
     "clear($self, /)\n--\n\nRemoves all keys.\n\n>>> from bloomery import Bloom\n>>> seen = "
     "Bloom(1000)\n>>> seen.add(\"apple\")\nTrue\n>>> seen.clear()\n>>> \"apple\" in "
     "seen\nFalse\n"},
    {nullptr, nullptr, 0, nullptr}};

bool adopt(Filter* filter, bloomery_filter* handle) {
  bloomery_info info = BLOOMERY_INFO_INIT;
  if (const int code = bloomery_get_info(handle, &info); code != BLOOMERY_OK) {
    raise_error(code, 0);
    bloomery_free(handle);
    return false;
  }
  // An object that is used by other threads keeps its filter until they are done.
  if (filter->handle != nullptr && !is_usable(filter, Use::kWrite)) {
    bloomery_free(handle);
    return false;
  }
  bloomery_free(filter->handle);
  filter->handle = handle;
  filter->key_type = key_type_of(info.funnel);
  filter->is_concurrent = std::strcmp(info.layout, "concurrent") == 0;
  filter->users = Users{0, 0, forks_now, false, false};
  return true;
}

PyTypeObject* filter_type() { return the_filter_type; }

PyObject* make_filter_type(PyObject* module) {
  static PyMethodDef methods[64];
  std::size_t used = 0;
  for (const PyMethodDef* table : {filter_methods, handle_methods})
    for (; table->ml_name != nullptr; ++table) methods[used++] = *table;
  methods[used] = {nullptr, nullptr, 0, nullptr};
  PyType_Slot slots[] = {
      BLOOMERY_SLOT(Py_tp_doc, const_cast<char*>("What all filters have in common.")),
      BLOOMERY_SLOT(Py_tp_methods, methods),
      BLOOMERY_SLOT(Py_sq_contains, contains),
      BLOOMERY_SLOT(Py_tp_traverse, traverse),
      BLOOMERY_SLOT(Py_tp_clear, clear_references),
      BLOOMERY_SLOT(Py_tp_dealloc, deallocate),
      BLOOMERY_SLOT(Py_tp_hash, PyObject_HashNotImplemented),
      {0, nullptr}};
  PyType_Spec spec{"bloomery._bloomery.Filter", sizeof(Filter), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  the_filter_type = reinterpret_cast<PyTypeObject*>(type);
  return type;
}

}  // namespace bloomery::python
