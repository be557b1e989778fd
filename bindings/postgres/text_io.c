/* Input and output of the type: base64 or hexadecimal of the value's bytes, and the bytes. */
#include <ctype.h>

#include "bloomery_pg.h"
#include "common/base64.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

/* So many bytes are encoded between two looks at a cancelled query: a multiple of 3. */
#define CHUNK_BYTES (3 * 1024 * 1024)
#define CHUNK_CHARS (CHUNK_BYTES / 3 * 4)

static void refuse_text(const char* why) {
  ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                  errmsg("invalid input for type bloomery: %s", why),
                  errhint("Give the base64 of a file of the bloomery command, or \\x and its "
                          "hexadecimal digits.")));
}

static int digit_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

static Size decode_hex(const char* text, Size length, char* bytes) {
  Size i;
  if (length % 2 != 0) refuse_text("the number of hexadecimal digits is odd");
  for (i = 0; i < length; i += 2) {
    const int high = digit_of(text[i]), low = digit_of(text[i + 1]);
    if (high < 0 || low < 0) refuse_text("it has a character that is no hexadecimal digit");
    bytes[i / 2] = (char)(high << 4 | low);
    if (i % CHUNK_CHARS == 0) CHECK_FOR_INTERRUPTS();
  }
  return length / 2;
}

/* Without blanks, as `base64 -w76` and encode() break lines. */
static Size decode_base64(const char* text, Size length, char* bytes) {
  char* chunk = (char*)palloc(CHUNK_CHARS);
  Size at = 0, decoded = 0;
  bool is_last = false;
  while (at < length) {
    Size filled = 0;
    int added;
    CHECK_FOR_INTERRUPTS();
    for (; at < length && filled < CHUNK_CHARS; ++at)
      if (!isspace((unsigned char)text[at])) chunk[filled++] = text[at];
    if (filled == 0) break;
    if (is_last) refuse_text("it goes on after the end of its base64");
    is_last = chunk[filled - 1] == '=' || filled % 4 != 0;
    added = filled % 4 != 0 ? -1 : pg_b64_decode(chunk, (int)filled, bytes + decoded, (int)filled);
    if (added < 0) refuse_text("it is not base64");
    decoded += (Size)added;
  }
  pfree(chunk);
  return decoded;
}

PG_FUNCTION_INFO_V1(bloomery_in);
Datum bloomery_in(PG_FUNCTION_ARGS) {
  const char* text = PG_GETARG_CSTRING(0);
  const bool is_hex = text[0] == '\\' && (text[1] == 'x' || text[1] == 'X');
  Size length = strlen(text), size;
  char* bytes;
  bytea* value;
  if (length == 0) refuse_text("it is empty");
  bytes = (char*)palloc(length + 4);
  size = is_hex ? decode_hex(text + 2, length - 2, bytes) : decode_base64(text, length, bytes);
  value = bloom_checked_value(bytes, size, ERRCODE_INVALID_TEXT_REPRESENTATION);
  pfree(bytes);
  PG_RETURN_BYTEA_P(value);
}

PG_FUNCTION_INFO_V1(bloomery_out);
Datum bloomery_out(PG_FUNCTION_ARGS) {
  bytea* value = PG_GETARG_BYTEA_PP(0);
  const char* data = VARDATA_ANY(value);
  const Size size = VARSIZE_ANY_EXHDR(value), length = (size + 2) / 3 * 4;
  Size from, to = 0;
  char* text;
  if (length >= MaxAllocSize)
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
             errmsg("the filter has %zu bytes, and its text would have %zu; text ends at 1 GB",
                    size, length),
             errhint("Move it with COPY (FORMAT binary), or as substring() of bloom_to_bytea().")));
  text = (char*)palloc(length + 1);
  for (from = 0; from < size; from += CHUNK_BYTES) {
    const Size part = Min(size - from, CHUNK_BYTES);
    const int added =
        pg_b64_encode(data + from, (int)part, text + to, (int)Min(length - to, PG_INT32_MAX));
    CHECK_FOR_INTERRUPTS();
    if (added < 0) elog(ERROR, "the text of a filter does not fit into its memory");
    to += (Size)added;
  }
  text[to] = '\0';
  PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(bloomery_recv);
Datum bloomery_recv(PG_FUNCTION_ARGS) {
  StringInfo buffer = (StringInfo)PG_GETARG_POINTER(0);
  const int size = buffer->len - buffer->cursor;
  const char* bytes = pq_getmsgbytes(buffer, size);
  PG_RETURN_BYTEA_P(bloom_checked_value(bytes, (Size)size, ERRCODE_INVALID_BINARY_REPRESENTATION));
}

PG_FUNCTION_INFO_V1(bloomery_send);
Datum bloomery_send(PG_FUNCTION_ARGS) { PG_RETURN_BYTEA_P(PG_GETARG_BYTEA_P_COPY(0)); }
