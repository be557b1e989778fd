-- Version 0.1 of the extension bloomery: the type, aggregates, lookups, merging, health, formats.
\echo Use "CREATE EXTENSION bloomery" to load this file. \quit

CREATE TYPE bloomery;
CREATE FUNCTION bloomery_in(cstring) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION bloomery_out(bloomery) RETURNS cstring
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION bloomery_recv(internal) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION bloomery_send(bloomery) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE TYPE bloomery (
  INPUT = bloomery_in, OUTPUT = bloomery_out, RECEIVE = bloomery_recv, SEND = bloomery_send,
  INTERNALLENGTH = VARIABLE, STORAGE = extended
);
COMMENT ON TYPE bloomery IS 'a Bloom filter: the file of the bloomery command, or another system''s';

-- Lookups. The text versions are for literals: 'apple' has no type of its own.
CREATE FUNCTION bloom_contains(filter bloomery, key anyelement) RETURNS boolean
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
CREATE FUNCTION bloom_contains(filter bloomery, key text) RETURNS boolean
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 4;
CREATE OPERATOR @> (LEFTARG = bloomery, RIGHTARG = anyelement, FUNCTION = bloom_contains,
  RESTRICT = matchingsel, JOIN = matchingjoinsel);
CREATE OPERATOR @> (LEFTARG = bloomery, RIGHTARG = text, FUNCTION = bloom_contains,
  RESTRICT = matchingsel, JOIN = matchingjoinsel);

-- Aggregates. SSPACE lets the planner sort many groups rather than hold all their filters at once.
CREATE FUNCTION bloom_agg_step(internal, anyelement, bigint, float8) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 4;
CREATE FUNCTION bloom_agg_step(internal, anyelement, bigint) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 4;
CREATE FUNCTION bloom_union_step(internal, bloomery) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_agg_combine(internal, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_agg_serialize(internal) RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_agg_deserialize(bytea, internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_agg_final(internal) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
CREATE AGGREGATE bloom_agg(key anyelement, keys bigint, rate float8) (
  SFUNC = bloom_agg_step, STYPE = internal, SSPACE = 1048576, FINALFUNC = bloom_agg_final,
  COMBINEFUNC = bloom_agg_combine, SERIALFUNC = bloom_agg_serialize,
  DESERIALFUNC = bloom_agg_deserialize, PARALLEL = SAFE
);
CREATE AGGREGATE bloom_agg(key anyelement, keys bigint) (
  SFUNC = bloom_agg_step, STYPE = internal, SSPACE = 1048576, FINALFUNC = bloom_agg_final,
  COMBINEFUNC = bloom_agg_combine, SERIALFUNC = bloom_agg_serialize,
  DESERIALFUNC = bloom_agg_deserialize, PARALLEL = SAFE
);
CREATE AGGREGATE bloom_union_agg(bloomery) (
  SFUNC = bloom_union_step, STYPE = internal, SSPACE = 1048576, FINALFUNC = bloom_agg_final,
  COMBINEFUNC = bloom_agg_combine, SERIALFUNC = bloom_agg_serialize,
  DESERIALFUNC = bloom_agg_deserialize, PARALLEL = SAFE
);

CREATE FUNCTION bloom_union(bloomery, bloomery) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE OPERATOR | (LEFTARG = bloomery, RIGHTARG = bloomery, FUNCTION = bloom_union, COMMUTATOR = |);

CREATE FUNCTION bloom_health(filter bloomery, OUT verdict text, OUT fill float8,
    OUT estimated_keys float8, OUT rate float8, OUT keys_inserted bigint, OUT goal_keys bigint,
    OUT goal_rate float8, OUT sampled boolean)
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

-- Other systems' bytes. Numbers that are 0 and text that is empty mean "not given".
CREATE FUNCTION bloom_from_bytea(bytes bytea, format text DEFAULT 'auto', keys bigint DEFAULT 0,
    rate float8 DEFAULT 0, bits bigint DEFAULT 0, probes integer DEFAULT 0, funnel text DEFAULT '')
  RETURNS bloomery AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_to_bytea(filter bloomery, format text DEFAULT '') RETURNS bytea
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
