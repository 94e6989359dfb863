-- The provider said that a number exceeds its rate: halves the rate, and sends nothing for a while. All sends
-- of a batch report this together, so the rate is halved at most once a second.
-- KEYS[1] gw:numberRate:{number}
-- ARGV[1] ms to send nothing
-- Returns nothing.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local number = redis.call('HMGET', KEYS[1], 'f', 'slowed', 'until')
if now - tonumber(number[2] or 0) >= 1000000 then
  local factor = math.max(0.05, tonumber(number[1] or 1) / 2)
  local whole = string.format('%.0f', now)
  redis.call('HSET', KEYS[1], 'f', string.format('%.6f', factor), 'fat', whole, 'slowed', whole)
end
local blocked = math.max(tonumber(number[3] or 0), now + tonumber(ARGV[1]) * 1000)
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', blocked))
redis.call('PEXPIRE', KEYS[1], 600000)
