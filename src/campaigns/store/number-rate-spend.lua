-- Counts single sends after they were made, because they never wait. They use their own part of a number's
-- rate first. The excess is taken from the campaigns, whose tokens may fall to minus one second of the rate.
-- KEYS gw:numberRate:{number}, ...
-- ARGV[i] how many messages the i-th number sent
-- Returns nothing. A number without a budget has no campaign under way.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local slot = math.floor(now / 100000)
for i = 1, #KEYS do
  local number = redis.call('HMGET', KEYS[i], 'r', 's', 't', 'w', 'wat', slot % 11)
  local rate, share = tonumber(number[1]), tonumber(number[2])
  if rate then
    local own = rate * (1 - share)
    local since = math.max(0, now - tonumber(number[5] or 0)) / 1000000
    local left = math.min(own, tonumber(number[4] or own) + since * own) - tonumber(ARGV[i])
    if left < 0 then
      redis.call('HSET', KEYS[i], 't', string.format('%.6f', math.max(-rate, tonumber(number[3] or 0) + left)))
      left = 0
    end
    local packed = math.max(tonumber(number[6] or 0), slot * 100000) + math.min(tonumber(ARGV[i]), 10000)
    redis.call('HSET', KEYS[i], 'w', string.format('%.6f', left), 'wat', string.format('%.0f', now),
      slot % 11, string.format('%.0f', packed))
  end
end
