/* The bytes of the type bloomery: the file of the bloomery command, or another system's bytes
 * behind an envelope that says which they are. */
#include "bloomery_pg.h"
#include "common/hashfn.h"
#include "miscadmin.h"

typedef struct Envelope { /* little-endian, as the library's files */
  char magic[8];
  uint64 checksum; /* of all that follows it */
  BloomLoad load;
} Envelope;

StaticAssertDecl(sizeof(Envelope) == 96, "an envelope has no gaps");
StaticAssertDecl(sizeof(Envelope) <= BLOOM_PREFIX, "the checksum is in the prefix");

static const char envelope_magic[8] = {'B', 'L', 'O', 'O', 'M', 'P', 'G', '1'};
static const char native_format[] = "bloomery";
#define AFTER_CHECKSUM offsetof(Envelope, load)

static uint64 checksum_of(const char* value, Size size) {
  return hash_bytes_extended((const unsigned char*)value + AFTER_CHECKSUM,
                             (int)(size - AFTER_CHECKSUM), 0);
}

static void load_filter(const char* data, Size size, const char* format, const BloomLoad* load,
                        int malformed, BloomFilter* filter) {
  bloomery_load_options options = BLOOMERY_LOAD_OPTIONS_INIT;
  if (load != NULL) {
    options.keys = load->keys;
    options.rate = load->rate;
    options.bits = load->bits;
    options.probes = load->probes;
    options.funnel = load->funnel[0] != '\0' ? load->funnel : NULL;
  }
  filter->handle = bloom_new_handle(CurrentMemoryContext);
  CHECK_FOR_INTERRUPTS();
  bloom_check(
      bloomery_decode(data, size, format, BLOOM_MAX_VALUE, &options, &filter->handle->filter),
      malformed);
  CHECK_FOR_INTERRUPTS();
}

static void copy_name(char* to, Size room, const char* from) {
  if (strlcpy(to, from, room) >= room)
    elog(ERROR, "the name \"%s\" does not fit into a value", from);
}

static void refuse_envelope(int malformed, const char* why) {
  ereport(ERROR, (errcode(malformed), errmsg("the value is no filter: %s", why)));
}

static bool is_terminated(const char* name, Size room) {
  return name[0] != '\0' && memchr(name, '\0', room) != NULL;
}

static void decode_envelope(const char* data, Size size, int malformed, BloomFilter* filter) {
  Envelope envelope;
  if (size < sizeof(envelope)) refuse_envelope(malformed, "its envelope is truncated");
  memcpy(&envelope, data, sizeof(envelope));
  if (envelope.checksum != checksum_of(data, size))
    refuse_envelope(malformed, "its checksum does not match its bytes");
  if (!is_terminated(envelope.load.format, sizeof(envelope.load.format)) ||
      !is_terminated(envelope.load.funnel, sizeof(envelope.load.funnel)) ||
      envelope.load.reserved != 0 || strcmp(envelope.load.format, native_format) == 0 ||
      strcmp(envelope.load.format, "auto") == 0)
    refuse_envelope(malformed, "its envelope contradicts itself");
  load_filter(data + sizeof(envelope), size - sizeof(envelope), envelope.load.format,
              &envelope.load, malformed, filter);
  filter->load = envelope.load;
}

static void check_size(Size size) {
  if (size > BLOOM_MAX_VALUE)
    ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                    errmsg("the filter has %zu bytes; a value of PostgreSQL ends at 1 GB", size),
                    errhint("Use fewer keys or a higher rate, or keep the filter in a file of the "
                            "bloomery command.")));
}

void bloom_decode(const char* data, Size size, int malformed, BloomFilter* filter) {
  check_size(size);
  if (size >= sizeof(envelope_magic) && memcmp(data, envelope_magic, sizeof(envelope_magic)) == 0) {
    decode_envelope(data, size, malformed, filter);
    return;
  }
  memset(&filter->load, 0, sizeof(filter->load));
  load_filter(data, size, native_format, NULL, malformed, filter);
}

void bloom_decode_datum(Datum value, BloomFilter* filter) {
  bytea* bytes = DatumGetByteaPP(value);
  bloom_decode(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), ERRCODE_DATA_CORRUPTED, filter);
  if ((Pointer)bytes != DatumGetPointer(value)) pfree(bytes);
}

static bytea* new_value(const char* data, Size size, const BloomLoad* load) {
  const bool is_foreign = load->format[0] != '\0';
  const Size whole = size + (is_foreign ? sizeof(Envelope) : 0);
  uint64 checksum;
  bytea* value;
  char* payload;
  check_size(whole);
  value = (bytea*)palloc(whole + VARHDRSZ);
  SET_VARSIZE(value, whole + VARHDRSZ);
  payload = VARDATA(value);
  if (!is_foreign) {
    memcpy(payload, data, size);
    return value;
  }
  memcpy(payload, envelope_magic, sizeof(envelope_magic));
  memcpy(payload + AFTER_CHECKSUM, load, sizeof(*load));
  memcpy(payload + sizeof(Envelope), data, size);
  checksum = checksum_of(payload, whole);
  memcpy(payload + offsetof(Envelope, checksum), &checksum, sizeof(checksum));
  return value;
}

bytea* bloom_encode(const bloomery_filter* filter, const BloomLoad* load) {
  BloomBytes* bytes = bloom_new_bytes(CurrentMemoryContext);
  bytea* value;
  bloom_check(bloomery_encode(filter, NULL, &bytes->data, &bytes->size), ERRCODE_DATA_CORRUPTED);
  value = new_value((const char*)bytes->data, bytes->size, load);
  bloom_free_bytes(bytes);
  return value;
}

bytea* bloom_checked_value(const char* data, Size size, int malformed) {
  static const BloomLoad as_it_is = {0};
  bloomery_info info = BLOOMERY_INFO_INIT;
  BloomFilter filter;
  bytea* value;
  bloom_decode(data, size, malformed, &filter);
  bloom_check(bloomery_get_info(filter.handle->filter, &info), malformed);
  value = info.is_open ? bloom_encode(filter.handle->filter, &filter.load)
                       : new_value(data, size, &as_it_is);
  bloom_free_handle(filter.handle);
  return value;
}

bytea* bloom_import(const char* data, Size size, BloomLoad* load) {
  bloomery_info info = BLOOMERY_INFO_INIT;
  BloomFilter filter;
  bytea* value;
  load_filter(data, size, load->format, load, ERRCODE_INVALID_BINARY_REPRESENTATION, &filter);
  bloom_check(bloomery_get_info(filter.handle->filter, &info), ERRCODE_DATA_CORRUPTED);
  memset(load->format, 0, sizeof(load->format));
  memset(load->funnel, 0, sizeof(load->funnel));
  if (strcmp(info.format, native_format) == 0) {
    memset(load, 0, sizeof(*load));
  } else {
    copy_name(load->format, sizeof(load->format), info.format);
    copy_name(load->funnel, sizeof(load->funnel), info.funnel);
  }
  value = info.is_open ? bloom_encode(filter.handle->filter, load) : new_value(data, size, load);
  bloom_free_handle(filter.handle);
  return value;
}
