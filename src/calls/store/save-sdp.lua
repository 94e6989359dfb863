-- Saves the SDP of live calls, each fenced by its owner's epoch; 0 before there is an owner.
-- KEYS gw:call:{id}, ... (hash: e, sdpType, sdp, own)
-- ARGV[1] ttl ms, then for each key: epoch, sdpType, sdp, own; an empty value removes the field
-- Returns how many were saved. Where a later owner has written, nothing changes.
local saved = 0
for i = 1, #KEYS do
  local at = i * 4 - 2
  local stored = tonumber(redis.call('HGET', KEYS[i], 'e') or '0')
  if stored <= tonumber(ARGV[at]) then
    local fields = {'e', ARGV[at]}
    for place, name in ipairs({'sdpType', 'sdp', 'own'}) do
      if ARGV[at + place] ~= '' then
        fields[#fields + 1] = name
        fields[#fields + 1] = ARGV[at + place]
      end
    end
    redis.call('DEL', KEYS[i])
    redis.call('HSET', KEYS[i], unpack(fields))
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    saved = saved + 1
  end
end
return saved
