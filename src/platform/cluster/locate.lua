-- Finds the owner of an actor without claiming it.
-- KEYS[1] gw:own:{kind}:{id}
-- Returns {node id, sid, address}, or {} if no live session owns it.
local owner = redis.call('HMGET', KEYS[1], 's', 'n')
if not owner[1] or redis.call('EXISTS', 'gw:sess:' .. owner[1]) == 0 then return {} end
return {owner[2], owner[1], redis.call('HGET', 'gw:node:' .. owner[2], 'address') or ''}
