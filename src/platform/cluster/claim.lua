-- Claims actors for a session. Idempotent, so a lost reply is harmless. Claiming again keeps the entry alive.
-- KEYS[1] gw:sess:{sid} of the claimant, KEYS[2..] gw:own:{kind}:{id}
-- ARGV[1] sid, ARGV[2] node id, ARGV[3] ttl ms
-- Returns one table for each owner key:
--   {'expired'}                       the claimant's session has expired: it must register first
--   {'mine', dead sid or ''}          owned; the sid of the former owner if its session has certainly ended
--   {'theirs', node id, sid, address} another live session owns it
if redis.call('EXISTS', KEYS[1]) == 0 then
  local expired = {}
  for i = 2, #KEYS do expired[i - 1] = {'expired'} end
  return expired
end
local sid, node, ttl = ARGV[1], ARGV[2], ARGV[3]

local function claim(key)
  local owner = redis.call('HMGET', key, 's', 'n')
  if owner[1] == sid then
    redis.call('PEXPIRE', key, ttl)
    return {'mine', ''}
  end
  if owner[1] and redis.call('EXISTS', 'gw:sess:' .. owner[1]) == 1 then
    local address = redis.call('HGET', 'gw:node:' .. owner[2], 'address')
    return {'theirs', owner[2], owner[1], address or ''}
  end
  redis.call('HSET', key, 's', sid, 'n', node, 'e', '0')
  redis.call('PEXPIRE', key, ttl)
  if owner[1] and redis.call('EXISTS', 'gw:dead:' .. owner[1]) == 1 then return {'mine', owner[1]} end
  return {'mine', ''}
end

local claims = {}
for i = 2, #KEYS do claims[i - 1] = claim(KEYS[i]) end
return claims
