/**
 * Leases calls out of the budget that all replicas share, in one step, by Redis's own clock.
 *
 * KEYS: the calls of the last minute by the second (a hash), and the replicas by when they last came (a sorted set).
 * In the hash, `born` marks it, so that a replica notices when what Redis knew is lost. It then tells all its own calls of
 * the last minute; those of the others are `assumed` until these tell theirs, for a minute at most.
 * ARGV: 1 the ceiling, 2 how many calls are wanted, 3 the replica, 4 the mark that it knows, 5 the calls that it made
 * without a lease, 6 all its calls of the last minute and 7 those that it assumes of others, which count where the mark is
 * another one, 8 and 9 the second of a lease that is given back and how much of it.
 * Gives: how many calls are leased, in which second, how long to wait in milliseconds where none is, how many are taken in
 * all, how many replicas there are, the mark.
 */
export const LEASE_SCRIPT = `
local calls, replicas = KEYS[1], KEYS[2]
local ceiling, wanted, replica = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local time = redis.call('TIME')
local second = tonumber(time[1])
local nowMs = second * 1000 + math.floor(tonumber(time[2]) / 1000)

for key, kind in pairs({ [calls] = 'hash', [replicas] = 'zset' }) do
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then redis.call('DEL', key) end
end

local born = redis.call('HGET', calls, 'born')
local own = tonumber(born == ARGV[4] and ARGV[5] or ARGV[6])
local assumed = 0
if second < (tonumber(redis.call('HGET', calls, 'assumedUntil')) or 0) then
  assumed = tonumber(redis.call('HGET', calls, 'assumed')) or 0
end
if not born then
  born = replica .. ' ' .. nowMs
  assumed = tonumber(ARGV[7])
  redis.call('HSET', calls, 'born', born, 'assumed', assumed, 'assumedUntil', second + 62)
elseif born ~= ARGV[4] and assumed > 0 then
  assumed = math.max(0, assumed - own)
  redis.call('HSET', calls, 'assumed', assumed)
end

local total, seconds, counts = own + assumed, {}, {}
local fields = redis.call('HGETALL', calls)
for i = 1, #fields, 2 do
  local at, count = tonumber(fields[i]), tonumber(fields[i + 1])
  if fields[i] == 'born' or fields[i] == 'assumed' or fields[i] == 'assumedUntil' then
    -- no second
  elseif not at or not count or at <= second - 62 or at > second + 1 then
    redis.call('HDEL', calls, fields[i])
  else
    if fields[i] == ARGV[8] then
      count = math.max(0, count - tonumber(ARGV[9]))
      redis.call('HSET', calls, fields[i], count)
    end
    total = total + count
    seconds[#seconds + 1] = at
    counts[at] = count
  end
end

local granted = math.max(0, math.min(wanted, ceiling - total))
if granted + own > 0 then
  redis.call('HSET', calls, second, (counts[second] or 0) + granted + own)
end
local waitMs = 0
if granted == 0 then
  table.sort(seconds)
  local left = total
  waitMs = 62 * 1000
  for _, at in ipairs(seconds) do
    left = left - counts[at]
    if left < ceiling then
      waitMs = (at + 62) * 1000 - nowMs
      break
    end
  end
end

redis.call('PEXPIRE', calls, 65000)
redis.call('ZADD', replicas, nowMs, replica)
redis.call('ZREMRANGEBYSCORE', replicas, '-inf', nowMs - 60000)
redis.call('PEXPIRE', replicas, 60000)
return { granted, second, waitMs, total + granted, redis.call('ZCARD', replicas), born }
`;
