-- Writes fields of an actor's state, where this session owns it with this epoch.
-- KEYS[1] gw:own:{kind}:{id}, KEYS[2] the state, a hash
-- ARGV[1] sid, ARGV[2] epoch, ARGV[3] ttl ms, ARGV[4..] field, value, ...
-- Returns 1, or 0 where another owner or epoch stands.
local owner = redis.call('HMGET', KEYS[1], 's', 'e')
if owner[1] ~= ARGV[1] or owner[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], 'e', ARGV[2], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 1
