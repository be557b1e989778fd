/* SQL types as keys: which bytes or numbers the filter hashes. The table is in docs/postgres.md. */
#include "bloomery_pg.h"
#include "catalog/pg_type_d.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/uuid.h"

void bloom_key_type(FunctionCallInfo fcinfo, int number, BloomKeyType* type) {
  const Oid declared = get_fn_expr_argtype(fcinfo->flinfo, number);
  if (!OidIsValid(declared)) elog(ERROR, "the type of the key is not known in this call");
  type->type = getBaseType(declared);
  switch (type->type) {
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case NUMERICOID:
      type->kind = BLOOM_KEY_TEXT;
      return;
    case BYTEAOID:
    case UUIDOID:
      type->kind = BLOOM_KEY_BYTES;
      return;
    case INT2OID:
    case INT4OID:
    case INT8OID:
      type->kind = BLOOM_KEY_INTEGER;
      return;
    default:
      ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                      errmsg("keys of type %s are not supported", format_type_be(declared)),
                      errhint("Cast the key to text, bytea or bigint: the same cast where the "
                              "filter is made and where it is queried.")));
  }
}

const char* bloom_funnel_of(const BloomKeyType* type) {
  return type->kind == BLOOM_KEY_INTEGER ? "i64" : "bytes";
}

static void set_range(BloomKeyType* type, int64 least, int64 most) {
  type->funnel = BLOOM_FUNNEL_INTEGER;
  type->least = least;
  type->most = most;
}

static void set_funnel(BloomKeyType* type, const char* funnel) {
  type->funnel = BLOOM_FUNNEL_OTHER;
  type->is_i64 = strcmp(funnel, "i64") == 0;
  if (strcmp(funnel, "bytes") == 0) type->funnel = BLOOM_FUNNEL_BYTES;
  if (strcmp(funnel, "utf16") == 0) type->funnel = BLOOM_FUNNEL_UTF16;
  if (type->is_i64) set_range(type, PG_INT64_MIN, PG_INT64_MAX);
  if (strcmp(funnel, "u64") == 0) set_range(type, 0, PG_INT64_MAX);
  if (strcmp(funnel, "i32") == 0) set_range(type, PG_INT32_MIN, PG_INT32_MAX);
  if (strcmp(funnel, "i16") == 0) set_range(type, PG_INT16_MIN, PG_INT16_MAX);
  if (strcmp(funnel, "i8") == 0) set_range(type, PG_INT8_MIN, PG_INT8_MAX);
}

static const char* cast_for(const BloomKeyType* type) {
  switch (type->funnel) {
    case BLOOM_FUNNEL_BYTES:
      return "Cast the key to text or bytea, as it was when the filter was made.";
    case BLOOM_FUNNEL_UTF16:
      return "Cast the key to text.";
    case BLOOM_FUNNEL_INTEGER:
      return "Cast the key to bigint.";
    default:
      return "No type of PostgreSQL is such a key; query the filter with the bloomery command.";
  }
}

void bloom_match_funnel(const bloomery_filter* filter, BloomKeyType* type) {
  bloomery_info info = BLOOMERY_INFO_INIT;
  bool is_right;
  bloom_check(bloomery_get_info(filter, &info), ERRCODE_DATA_CORRUPTED);
  set_funnel(type, info.funnel);
  switch (type->funnel) {
    case BLOOM_FUNNEL_BYTES:
      is_right = type->kind != BLOOM_KEY_INTEGER;
      break;
    case BLOOM_FUNNEL_UTF16:
      is_right = type->kind == BLOOM_KEY_TEXT;
      break;
    case BLOOM_FUNNEL_INTEGER:
      is_right = type->kind == BLOOM_KEY_INTEGER;
      break;
    default:
      is_right = false;
  }
  if (!is_right)
    ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                    errmsg("the keys of this filter have the funnel %s, and this key is of type %s",
                           info.funnel, format_type_be(type->type)),
                    errhint("%s", cast_for(type))));
}

int64 bloom_key_integer(const BloomKeyType* type, Datum key) {
  switch (type->type) {
    case INT2OID:
      return DatumGetInt16(key);
    case INT4OID:
      return DatumGetInt32(key);
    default:
      return DatumGetInt64(key);
  }
}

static BloomKey to_utf16(BloomKey key) {
  const unsigned char *from = (const unsigned char*)key.data, *end = from + key.size;
  char* to = (char*)palloc(2 * key.size + 1); /* at most one unit per byte of UTF-8 */
  BloomKey wide = {to, 0};
  while (from < end) {
    const int length = pg_utf_mblen(from);
    pg_wchar point;
    if (length > end - from || !pg_utf8_islegal(from, length))
      ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
                      errmsg("the key is not UTF-8, and the filter's keys are UTF-16")));
    point = utf8_to_unicode(from);
    from += length;
    if (point >= 0x10000) {
      const pg_wchar high = 0xD800 + ((point - 0x10000) >> 10);
      to[wide.size++] = (char)(high & 0xFF);
      to[wide.size++] = (char)(high >> 8);
      point = 0xDC00 + ((point - 0x10000) & 0x3FF);
    }
    to[wide.size++] = (char)(point & 0xFF);
    to[wide.size++] = (char)(point >> 8);
  }
  return wide;
}

/* The filter is the same in databases of other encodings. Bytes of SQL_ASCII have no encoding and
 * stay as they are. */
static BloomKey to_utf8(BloomKey key) {
  const int encoding = GetDatabaseEncoding();
  const char* converted;
  if (encoding == PG_UTF8 || encoding == PG_SQL_ASCII || key.size == 0) return key;
  converted = pg_server_to_any(key.data, (int)key.size, PG_UTF8);
  if (converted != key.data) {
    key.data = converted;
    key.size = strlen(converted);
  }
  return key;
}

static BloomKey text_key(const BloomKeyType* type, Datum datum) {
  BloomKey key;
  if (type->type == NUMERICOID) { /* 1.0 = 1.00, so both are the key 1 */
    key.data = numeric_normalize(DatumGetNumeric(datum));
    key.size = strlen(key.data);
    return key;
  } else {
    const text* packed = DatumGetTextPP(datum);
    key.data = VARDATA_ANY(packed);
    key.size = VARSIZE_ANY_EXHDR(packed);
  }
  if (type->type == BPCHAROID) /* compared without the blanks that pad it */
    while (key.size > 0 && key.data[key.size - 1] == ' ') --key.size;
  return to_utf8(key);
}

BloomKey bloom_key_bytes(const BloomKeyType* type, Datum datum) {
  BloomKey key;
  if (type->kind == BLOOM_KEY_TEXT) {
    key = text_key(type, datum);
    return type->funnel == BLOOM_FUNNEL_UTF16 ? to_utf16(key) : key;
  }
  if (type->type == UUIDOID) {
    key.data = (const char*)DatumGetUUIDP(datum)->data;
    key.size = UUID_LEN;
  } else {
    const bytea* packed = DatumGetByteaPP(datum);
    key.data = VARDATA_ANY(packed);
    key.size = VARSIZE_ANY_EXHDR(packed);
  }
  return key;
}
