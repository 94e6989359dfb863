-- Records the epochs that Postgres assigned to actors of this session.
-- KEYS gw:own:{kind}:{id}, ...
-- ARGV[1] sid, ARGV[2..] the epoch of each key
-- Returns how many were recorded. An entry of another session, or with a later epoch, does not change.
local recorded = 0
for i = 1, #KEYS do
  local owner = redis.call('HMGET', KEYS[i], 's', 'e')
  if owner[1] == ARGV[1] and tonumber(ARGV[i + 1]) > tonumber(owner[2] or '0') then
    redis.call('HSET', KEYS[i], 'e', ARGV[i + 1])
    recorded = recorded + 1
  end
end
return recorded
