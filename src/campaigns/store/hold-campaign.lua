-- Grants a campaign nothing for a while; a hold that ends later stays.
-- KEYS[1] gw:cmp:{campaign}
-- ARGV[1] ms
-- Returns nothing.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local known = tonumber(redis.call('HGET', KEYS[1], 'until') or 0)
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', math.max(known, now + tonumber(ARGV[1]) * 1000)))
redis.call('PEXPIRE', KEYS[1], 86400000)
