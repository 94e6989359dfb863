-- Releases the actors that this session still owns.
-- KEYS gw:own:{kind}:{id}, ...
-- ARGV[1] sid
-- Returns how many were released.
local released = 0
for i = 1, #KEYS do
  if redis.call('HGET', KEYS[i], 's') == ARGV[1] then released = released + redis.call('DEL', KEYS[i]) end
end
return released
