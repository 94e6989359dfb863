-- Ends the session of a process that is certainly gone: it refuses connections, or it has drained.
-- KEYS[1] gw:sess:{sid}, KEYS[2] gw:dead:{sid}
-- ARGV[1] reporter, ARGV[2] ttl ms of the dead marker
-- Returns 1 if the session was still alive.
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return redis.call('DEL', KEYS[1])
