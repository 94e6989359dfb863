-- Raises a campaign's epoch; it never falls. A campaign that was resumed tries again at once.
-- KEYS[1] gw:cmp:{campaign}
-- ARGV epoch
-- Returns nothing.
local known = tonumber(redis.call('HGET', KEYS[1], 'e') or 0)
if tonumber(ARGV[1]) > known then
  redis.call('HSET', KEYS[1], 'e', ARGV[1])
  redis.call('HDEL', KEYS[1], 'until')
  redis.call('PEXPIRE', KEYS[1], 86400000)
end
