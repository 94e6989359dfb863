-- Starts a session, or restores the same session after it was lost. Deletes its dead marker: with the marker,
-- a successor would skip the handover silence although this session is alive.
-- KEYS[1] gw:gen, KEYS[2] gw:sess:{sid}, KEYS[3] gw:dead:{sid}, KEYS[4] gw:node:{nid}, KEYS[5] gw:nodes
-- ARGV[1] a new generation, used if there is none, ARGV[2] node id, ARGV[3] session ttl ms,
-- ARGV[4] node ttl ms, ARGV[5] now in ms, ARGV[6..] fields of the node
-- Returns the generation, and whether the session was there.
local there = redis.call('EXISTS', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'NX')
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
redis.call('DEL', KEYS[3])
redis.call('HSET', KEYS[4], unpack(ARGV, 6))
redis.call('PEXPIRE', KEYS[4], ARGV[4])
redis.call('ZADD', KEYS[5], ARGV[5], ARGV[2])
return {redis.call('GET', KEYS[1]), there}
