-- The time of an endpoint's next handshake: later than the last one, whichever node made that.
-- KEYS[1] gw:ep:{id} (hash: lastDialAt)
-- ARGV[1] the caller's clock in ms, ARGV[2] how far ahead of it a last dial may be to count, ARGV[3] ttl ms
-- Returns the time in ms. Two runs return two times, both valid.
local now = tonumber(ARGV[1])
local last = tonumber(redis.call('HGET', KEYS[1], 'lastDialAt') or '0')
local at = now
if last >= now and last - now < tonumber(ARGV[2]) then at = last + 1 end
redis.call('HSET', KEYS[1], 'lastDialAt', string.format('%.0f', at))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return at
