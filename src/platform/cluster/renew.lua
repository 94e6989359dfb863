-- Renews a session.
-- KEYS[1] gw:gen, KEYS[2] gw:sess:{sid}, KEYS[3] gw:node:{nid}, KEYS[4] gw:nodes
-- ARGV[1] session ttl ms, ARGV[2] node ttl ms, ARGV[3] now in ms, ARGV[4] node id
-- Returns the generation, or '' if the session or the node entry is gone.
if redis.call('PEXPIRE', KEYS[2], ARGV[1]) == 0 then return '' end
if redis.call('PEXPIRE', KEYS[3], ARGV[2]) == 0 then return '' end
redis.call('ZADD', KEYS[4], ARGV[3], ARGV[4])
return redis.call('GET', KEYS[1]) or ''
