-- Saves the SDP of a live call, fenced by the owner's epoch.
-- KEYS[1] gw:call:{id} (hash: e, sdpType, sdp, own)
-- ARGV[1] epoch, ARGV[2] ttl ms, ARGV[3..] field, value, ...; an empty value removes the field
-- Returns 1, or 0 where a later owner has written.
local stored = tonumber(redis.call('HGET', KEYS[1], 'e') or '0')
if stored > tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'e', ARGV[1])
for i = 3, #ARGV, 2 do
  if ARGV[i + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[i])
  else
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
