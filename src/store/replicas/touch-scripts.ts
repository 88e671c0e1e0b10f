/** Both scripts know one hash: which change was the last, and which was the last to each area. */
const OPEN = `
local touches = KEYS[1]
local kind = redis.call('TYPE', touches).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', touches) end
if kind == 'hash' and not tonumber(redis.call('HGET', touches, 'seq') or '0') then redis.call('DEL', touches) end
`;

/**
 * Opens the hash, and gives its mark and the number of the last change. When it is lost, it begins anew with another mark, by
 * which everybody sees that nothing is known any more.
 *
 * ARGV: 1 a mark, should it have none.
 */
export const POSITION_SCRIPT = `${OPEN}
redis.call('HSETNX', touches, 'born', ARGV[1])
return { redis.call('HGET', touches, 'born'), tonumber(redis.call('HGET', touches, 'seq') or '0') }
`;

/**
 * Counts a change, notes it for the areas that it touched, and tells all who listen, in one step: so changes are heard in
 * the order of their numbers. Gives how many listen.
 *
 * ARGV: 1 a mark, should the hash have none, 2 how many areas it may know before it begins anew, 3 the channel, 4 who tells,
 * 5 what is told, 6 and on the areas.
 */
export const TOUCH_SCRIPT = `${OPEN}
if redis.call('HLEN', touches) > tonumber(ARGV[2]) then redis.call('DEL', touches) end
redis.call('HSETNX', touches, 'born', ARGV[1])
local seq = redis.call('HINCRBY', touches, 'seq', 1)
for i = 6, #ARGV do redis.call('HSET', touches, ARGV[i], seq) end
redis.call('PEXPIRE', touches, 86400000)
local head = ARGV[4] .. ' ' .. redis.call('HGET', touches, 'born') .. ' ' .. seq
return redis.call('PUBLISH', ARGV[3], head .. '\\n' .. ARGV[5])
`;
