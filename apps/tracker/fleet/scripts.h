// What a fleet does in Redis, step by step, as scripts: Redis runs each without interruption.
//
// Keys, all with the hash tag {FLEET}, so that a cluster keeps them together:
//   1 {FLEET}:fleet    a hash with all that must not be lost in part: numbers, chain and members
//   2 {FLEET}:leader   the lock: the owner's token, which expires
//   3 {FLEET}:answers  a hash: each node's answer to the newest cycle it answered
//   4 {FLEET}:merged   a hash: the merged filter of each cycle, by number
#pragma once
#include <string_view>

namespace bloomery::tracker::scripts {

inline constexpr std::string_view kPrelude = R"lua(
local fleet, lock, answers, merged = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local function get(field) return redis.call('HGET', fleet, field) or '' end
local function set(...) return redis.call('HSET', fleet, ...) end
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function text(number) return string.format('%.0f', number) end
local function silent(name) return now() - (tonumber(get(name .. ':beat')) or 0) end
-- Another process, or another history of writes: what was sent to the one before may be lost.
local function generation()
  local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
  return (string.match(info, 'run_id:(%x+)') or 'unknown') .. ':' ..
         (string.match(info, 'master_replid:(%x+)') or 'unknown')
end
local function leads()
  if get(':fence') ~= ARGV[1] or get(':owner') ~= ARGV[2] then return false end
  local holder = redis.call('GET', lock)
  if holder and holder ~= ARGV[2] then return false end
  redis.call('SET', lock, ARGV[2], 'PX', ARGV[3])
  return true
end
local function leads_cycle()
  return leads() and get(':index') == ARGV[4] and get(':token') == ARGV[5] and
         get(':generation') == generation()
end
local function view(word)
  local all = redis.call('HGETALL', fleet)
  table.insert(all, 1, text(now()))
  table.insert(all, 2, text(redis.call('PTTL', lock)))
  table.insert(all, 1, word)
  return all
end
-- The hash stays small enough for one reply: 1900 fields are 256 nodes and some who left.
local function remember(first)
  for i = first, #ARGV, 2 do
    local name = ARGV[i]
    if get(name .. ':state') == '' and get(name .. ':left') == '' and
       redis.call('HLEN', fleet) <= 1900 then
      set(name .. ':state', 'remembered', name .. ':share', ARGV[i + 1])
      redis.call('HINCRBY', fleet, ':changes', 1)
    end
  end
end
local version = get(':version')
if version ~= '' and version ~= '1' then return {'version', version} end
)lua";

inline constexpr std::string_view kView = "return view('view')";

// name instance identity place share known-share alive-ms remembered...
inline constexpr std::string_view kJoin = R"lua(
local name = ARGV[1]
local state = get(name .. ':state')
if get(name .. ':share') ~= ARGV[6] then return {'again'} end
if state == 'active' or state == 'away' then
  if get(name .. ':identity') ~= ARGV[3] then return {'taken'} end
  if state == 'active' and get(name .. ':instance') ~= ARGV[2] and
     get(name .. ':place') ~= ARGV[4] and silent(name) < tonumber(ARGV[7]) then
    return {'alive'}
  end
elseif state == '' and redis.call('HLEN', fleet) > 1900 then
  return {'many'}
end
set(':version', '1', name .. ':state', 'active', name .. ':instance', ARGV[2],
    name .. ':identity', ARGV[3], name .. ':place', ARGV[4], name .. ':share', ARGV[5],
    name .. ':beat', text(now()), name .. ':answered', '0')
redis.call('HDEL', fleet, name .. ':left')
redis.call('HINCRBY', fleet, ':changes', 1)
remember(8)
return {'joined'}
)lua";

// name instance beat-ms
inline constexpr std::string_view kPoll = R"lua(
local name = ARGV[1]
local state = get(name .. ':state')
-- Only the process that was asked to leave: a Redis that is older than its memory was may say so of
-- a node that was added again since.
local left = ''
if state == 'leaving' then left = get(name .. ':instance') end
if state == '' then left = get(name .. ':left') end
if left == ARGV[2] then return {'left'} end
if state ~= 'active' or get(name .. ':instance') ~= ARGV[2] then return {'unknown'} end
if silent(name) >= tonumber(ARGV[3]) then set(name .. ':beat', text(now())) end
return {'member', get(':index'), get(':token'), get(':gathering'), get(':changes')}
)lua";

// name instance index token bytes
inline constexpr std::string_view kAnswer = R"lua(
local name = ARGV[1]
if get(name .. ':state') ~= 'active' or get(name .. ':instance') ~= ARGV[2] or
   get(':index') ~= ARGV[3] or get(':token') ~= ARGV[4] or get(':gathering') ~= '1' then
  return {'late'}
end
redis.call('HSET', answers, name, ARGV[5])
set(name .. ':answered', ARGV[3], name .. ':beat', text(now()))
return {'taken'}
)lua";

// name instance
inline constexpr std::string_view kDepart = R"lua(
local name = ARGV[1]
if get(name .. ':state') ~= 'active' or get(name .. ':instance') ~= ARGV[2] then
  return {'unknown'}
end
set(name .. ':state', 'away')
return {'away'}
)lua";

// name alive-ms
inline constexpr std::string_view kForget = R"lua(
local name = ARGV[1]
local state = get(name .. ':state')
if state == '' then return {'unknown'} end
if state == 'active' and silent(name) < tonumber(ARGV[2]) then return {'alive'} end
set(name .. ':state', 'leaving')
redis.call('HINCRBY', fleet, ':changes', 1)
return {'leaving'}
)lua";

// owner name lock-ms
inline constexpr std::string_view kLead = R"lua(
local holder = redis.call('GET', lock)
if holder and holder ~= ARGV[1] then return {'held'} end
redis.call('SET', lock, ARGV[1], 'PX', ARGV[3])
local fence = redis.call('HINCRBY', fleet, ':fence', 1)
set(':version', '1', ':owner', ARGV[1], ':leader', ARGV[2])
return {'leads', text(fence)}
)lua";

// fence owner lock-ms
inline constexpr std::string_view kHold = "return leads() and {'leads'} or {'lost'}";

// fence owner lock-ms own-last-index token kept remembered...
inline constexpr std::string_view kBegin = R"lua(
if not leads() then return {'lost'} end
local same = get(':generation') == generation() and '1' or '0'
local index = text(math.max(tonumber(get(':index')) or 0, tonumber(ARGV[4])) + 1)
local chain, kept = index .. ':' .. ARGV[5], 0
for id in string.gmatch(get(':chain'), '%S+') do
  kept = kept + 1
  if kept <= tonumber(ARGV[6]) then chain = chain .. ' ' .. id end
end
set(':index', index, ':token', ARGV[5], ':chain', chain, ':gathering', '1',
    ':generation', generation(), ':same', same)
remember(7)
return view('begun')
)lua";

// fence owner lock-ms index token
inline constexpr std::string_view kClose = R"lua(
if not leads_cycle() then return {'lost'} end
set(':gathering', '0')
return view('closed')
)lua";

// fence owner lock-ms index token ended-index bytes leaving...
inline constexpr std::string_view kCommit = R"lua(
if not leads_cycle() then return {'lost'} end
if ARGV[6] ~= '' then redis.call('HSET', merged, ARGV[6], ARGV[7]) end
set(':committed', ARGV[4], ':gathering', '0')
for i = 8, #ARGV do
  local name = ARGV[i]
  if get(name .. ':state') == 'leaving' then
    local gone = get(name .. ':instance')
    for _, field in ipairs({'state', 'instance', 'identity', 'place', 'share', 'beat',
                            'answered'}) do
      redis.call('HDEL', fleet, name .. ':' .. field)
    end
    redis.call('HDEL', answers, name)
    set(name .. ':left', gone ~= '' and gone or 'none')
    redis.call('HINCRBY', fleet, ':changes', 1)
  end
end
local known = {}
for id in string.gmatch(get(':chain'), '(%d+):') do known[id] = true end
for _, index in ipairs(redis.call('HKEYS', merged)) do
  if not known[index] then redis.call('HDEL', merged, index) end
end
return {'committed'}
)lua";

// fence owner lock-ms index token
inline constexpr std::string_view kFinish = R"lua(
if not leads_cycle() then return {'lost'} end
set(':scanned', ARGV[4])
return {'finished'}
)lua";

// fence owner
inline constexpr std::string_view kRelease = R"lua(
if redis.call('GET', lock) == ARGV[2] then redis.call('DEL', lock) end
return {'released'}
)lua";

}  // namespace bloomery::tracker::scripts
