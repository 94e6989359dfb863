-- Removes the SDP of a call that was answered or has ended. The epoch stays until it expires, so that a late
-- write of a former owner is rejected.
-- KEYS[1] gw:call:{id}
-- ARGV[1] epoch, ARGV[2] ttl ms
-- Returns 1, or 0 where a later owner has written.
local stored = tonumber(redis.call('HGET', KEYS[1], 'e') or '0')
if stored > tonumber(ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'e', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
