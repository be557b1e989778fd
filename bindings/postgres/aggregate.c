/* Aggregates: bloom_agg(key, keys, rate) and bloom_union_agg(filter), both also in parallel. */
#include "bloomery_pg.h"

#define BATCH_KEYS 256
#define BATCH_BYTES 16384

/* Keys are inserted in batches, whose loads from memory overlap. */
typedef struct BloomBatch {
  int count;
  int64 integers[BATCH_KEYS];
} BloomBatch;

typedef struct BloomByteBatch {
  int count;
  int32 offsets[BATCH_KEYS + 1];
  char bytes[BATCH_BYTES];
} BloomByteBatch;

typedef struct BloomState {
  BloomHandle* handle;
  BloomLoad load;
  bool may_move; /* it came from another process: its filter belongs to nobody else */
  /* Of bloom_agg: */
  BloomKeyType type;
  int64 keys;
  double rate;
  BloomBatch* integers; /* one of the two, made with the first key */
  BloomByteBatch* bytes;
} BloomState;

static MemoryContext aggregate_context(FunctionCallInfo fcinfo) {
  MemoryContext context;
  if (!AggCheckCallContext(fcinfo, &context))
    elog(ERROR, "this function is called by an aggregate only");
  return context;
}

static BloomState* new_state(MemoryContext context) {
  BloomState* state = (BloomState*)MemoryContextAllocZero(context, sizeof(BloomState));
  state->handle = bloom_new_handle(context);
  return state;
}

static BloomState* state_of(FunctionCallInfo fcinfo, int number) {
  return PG_ARGISNULL(number) ? NULL : (BloomState*)PG_GETARG_POINTER(number);
}

static void flush(BloomState* state) {
  if (state->integers != NULL && state->integers->count > 0) {
    const Size count = (Size)state->integers->count;
    state->integers->count = 0;
    bloom_check(
        bloomery_insert_i64(state->handle->filter, state->integers->integers, count, NULL, NULL),
        ERRCODE_DATA_CORRUPTED);
  }
  if (state->bytes != NULL && state->bytes->count > 0) {
    bloomery_keys keys = BLOOMERY_KEYS_INIT;
    keys.type = BLOOMERY_KEYS_OFFSETS32;
    keys.count = (Size)state->bytes->count;
    keys.offsets = state->bytes->offsets;
    keys.data = state->bytes->bytes;
    keys.data_size = (Size)state->bytes->offsets[state->bytes->count];
    state->bytes->count = 0;
    bloom_check(bloomery_insert_keys(state->handle->filter, &keys, NULL, NULL),
                ERRCODE_DATA_CORRUPTED);
  }
}

static void add_integer(BloomState* state, MemoryContext context, int64 key) {
  if (state->integers == NULL)
    state->integers = (BloomBatch*)MemoryContextAllocZero(context, sizeof(BloomBatch));
  state->integers->integers[state->integers->count++] = key;
  if (state->integers->count == BATCH_KEYS) flush(state);
}

static void add_bytes(BloomState* state, MemoryContext context, BloomKey key) {
  BloomByteBatch* batch;
  int32 end;
  if (key.size > BATCH_BYTES / 4) { /* not worth a copy */
    bloom_check(bloomery_insert_one(state->handle->filter, key.data, key.size, NULL),
                ERRCODE_DATA_CORRUPTED);
    return;
  }
  if (state->bytes == NULL)
    state->bytes = (BloomByteBatch*)MemoryContextAllocZero(context, sizeof(BloomByteBatch));
  batch = state->bytes;
  if (batch->count == BATCH_KEYS || batch->offsets[batch->count] + (int32)key.size > BATCH_BYTES)
    flush(state);
  end = batch->offsets[batch->count];
  memcpy(batch->bytes + end, key.data, key.size);
  batch->offsets[++batch->count] = end + (int32)key.size;
}

static BloomState* start_state(FunctionCallInfo fcinfo, MemoryContext context, int64 keys,
                               double rate) {
  BloomState* state = new_state(context);
  bloomery_options options;
  state->keys = keys;
  state->rate = rate;
  bloom_key_type(fcinfo, 1, &state->type);
  bloom_options_of(bloom_positive(keys, "the number of keys"), rate, bloom_funnel_of(&state->type),
                   &options);
  bloom_check(bloomery_create(&options, &state->handle->filter), ERRCODE_DATA_CORRUPTED);
  bloom_match_funnel(state->handle->filter, &state->type);
  return state;
}

/* bloom_agg_step(internal, key, keys bigint [, rate float8]) */
PG_FUNCTION_INFO_V1(bloom_agg_step);
Datum bloom_agg_step(PG_FUNCTION_ARGS) {
  const MemoryContext context = aggregate_context(fcinfo);
  BloomState* state = state_of(fcinfo, 0);
  int64 keys;
  double rate;
  if (PG_ARGISNULL(2) || (PG_NARGS() > 3 && PG_ARGISNULL(3)))
    ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                    errmsg("the number of keys and the rate of bloom_agg must not be NULL")));
  keys = PG_GETARG_INT64(2);
  rate = PG_NARGS() > 3 ? PG_GETARG_FLOAT8(3) : 0.01;
  if (state == NULL) state = start_state(fcinfo, context, keys, rate);
  if (keys != state->keys || rate != state->rate)
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("the number of keys and the rate of bloom_agg must be the same in every "
                           "row of a group")));
  if (!PG_ARGISNULL(1)) {
    if (state->type.kind == BLOOM_KEY_INTEGER)
      add_integer(state, context, bloom_key_integer(&state->type, PG_GETARG_DATUM(1)));
    else
      add_bytes(state, context, bloom_key_bytes(&state->type, PG_GETARG_DATUM(1)));
  }
  PG_RETURN_POINTER(state);
}

static void merge_into(BloomState* state, const bloomery_filter* from) {
  flush(state);
  bloom_check(bloomery_merge(state->handle->filter, from), ERRCODE_DATA_CORRUPTED);
}

/* bloom_union_step(internal, bloomery) */
PG_FUNCTION_INFO_V1(bloom_union_step);
Datum bloom_union_step(PG_FUNCTION_ARGS) {
  const MemoryContext context = aggregate_context(fcinfo);
  BloomState* state = state_of(fcinfo, 0);
  BloomFilter filter;
  if (PG_ARGISNULL(1)) {
    if (state == NULL) PG_RETURN_NULL();
    PG_RETURN_POINTER(state);
  }
  bloom_decode_datum(PG_GETARG_DATUM(1), &filter);
  if (state == NULL) {
    state = new_state(context);
    state->load = filter.load;
    state->handle->filter = filter.handle->filter;
    filter.handle->filter = NULL;
  } else {
    merge_into(state, filter.handle->filter);
    bloom_free_handle(filter.handle);
  }
  PG_RETURN_POINTER(state);
}

/* Of both aggregates. */
PG_FUNCTION_INFO_V1(bloom_agg_combine);
Datum bloom_agg_combine(PG_FUNCTION_ARGS) {
  const MemoryContext context = aggregate_context(fcinfo);
  BloomState *state = state_of(fcinfo, 0), *other = state_of(fcinfo, 1);
  if (other == NULL) {
    if (state == NULL) PG_RETURN_NULL();
    PG_RETURN_POINTER(state);
  }
  flush(other);
  if (state != NULL) {
    merge_into(state, other->handle->filter);
    if (other->may_move) bloom_free_handle(other->handle);
    PG_RETURN_POINTER(state);
  }
  state = new_state(context);
  state->load = other->load;
  if (other->may_move) {
    state->handle->filter = other->handle->filter;
    other->handle->filter = NULL;
  } else {
    bloom_check(bloomery_clone(other->handle->filter, &state->handle->filter),
                ERRCODE_DATA_CORRUPTED);
  }
  PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(bloom_agg_serialize);
Datum bloom_agg_serialize(PG_FUNCTION_ARGS) {
  BloomState* state = state_of(fcinfo, 0);
  aggregate_context(fcinfo);
  flush(state);
  PG_RETURN_BYTEA_P(bloom_encode(state->handle->filter, &state->load));
}

PG_FUNCTION_INFO_V1(bloom_agg_deserialize);
Datum bloom_agg_deserialize(PG_FUNCTION_ARGS) {
  BloomState* state;
  BloomFilter filter;
  aggregate_context(fcinfo);
  bloom_decode_datum(PG_GETARG_DATUM(0), &filter);
  state = (BloomState*)palloc0(sizeof(BloomState));
  state->handle = filter.handle;
  state->load = filter.load;
  state->may_move = true;
  PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(bloom_agg_final);
Datum bloom_agg_final(PG_FUNCTION_ARGS) {
  BloomState* state = state_of(fcinfo, 0);
  aggregate_context(fcinfo);
  if (state == NULL) PG_RETURN_NULL();
  flush(state);
  PG_RETURN_BYTEA_P(bloom_encode(state->handle->filter, &state->load));
}
