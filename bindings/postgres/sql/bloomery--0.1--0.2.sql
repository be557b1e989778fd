-- Version 0.2: comparison and intersection, filters made and filled without an aggregate, what a
-- filter is and what one would take, and estimates for the planner.
\echo Use "ALTER EXTENSION bloomery UPDATE" to load this file. \quit

CREATE FUNCTION bloom_intersect(bloomery, bloomery) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE OPERATOR & (LEFTARG = bloomery, RIGHTARG = bloomery, FUNCTION = bloom_intersect, COMMUTATOR = &);

CREATE FUNCTION bloom_eq(bloomery, bloomery) RETURNS boolean
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION bloom_ne(bloomery, bloomery) RETURNS boolean
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE OPERATOR = (LEFTARG = bloomery, RIGHTARG = bloomery, FUNCTION = bloom_eq, COMMUTATOR = =,
  NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR <> (LEFTARG = bloomery, RIGHTARG = bloomery, FUNCTION = bloom_ne, COMMUTATOR = <>,
  NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel);

-- A rate of 0 means "not given", which is 0.01 in most formats; likewise for the other numbers.
CREATE FUNCTION bloom_create(keys bigint DEFAULT 0, rate float8 DEFAULT 0, funnel text DEFAULT 'bytes',
    format text DEFAULT 'bloomery', layout text DEFAULT 'auto', bits bigint DEFAULT 0,
    probes integer DEFAULT 0) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION bloom_add(filter bloomery, key anyelement) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_add(filter bloomery, key text) RETURNS bloomery
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE FUNCTION bloom_info(filter bloomery, OUT format text, OUT layout text, OUT funnel text,
    OUT hash text, OUT seed numeric, OUT bits bigint, OUT bytes bigint, OUT probes integer)
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_describe(filter bloomery) RETURNS jsonb
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
CREATE FUNCTION bloom_size(keys bigint, rate float8 DEFAULT 0.01, OUT layout text, OUT bits bigint,
    OUT bytes bigint, OUT probes integer, OUT planned_rate float8)
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION bloom_formats(OUT name text, OUT recognized boolean, OUT created boolean)
  RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE ROWS 20;
CREATE FUNCTION bloom_version() RETURNS text
  AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;

CREATE FUNCTION bloom_contains_sel(internal, oid, internal, integer) RETURNS float8
  AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
CREATE FUNCTION bloom_contains_support(internal) RETURNS internal
  AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
ALTER FUNCTION bloom_contains(bloomery, anyelement) SUPPORT bloom_contains_support;
ALTER FUNCTION bloom_contains(bloomery, text) SUPPORT bloom_contains_support;
ALTER OPERATOR @> (bloomery, anyelement) SET (RESTRICT = bloom_contains_sel);
ALTER OPERATOR @> (bloomery, text) SET (RESTRICT = bloom_contains_sel);
