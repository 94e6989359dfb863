-- Removes the SDP of calls that were answered or have ended. The epoch stays until it expires, so that a late
-- write of a former owner is rejected.
-- KEYS gw:call:{id}, ...
-- ARGV[1] ttl ms, then the epoch of each key
-- Returns how many were dropped. Where a later owner has written, nothing changes.
local dropped = 0
for i = 1, #KEYS do
  local stored = tonumber(redis.call('HGET', KEYS[i], 'e') or '0')
  if stored <= tonumber(ARGV[i + 1]) then
    redis.call('DEL', KEYS[i])
    redis.call('HSET', KEYS[i], 'e', ARGV[i + 1])
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    dropped = dropped + 1
  end
end
return dropped
