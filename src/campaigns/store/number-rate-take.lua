-- Takes tokens for a campaign's sends from its number's budget and its own, by the clock of the Redis server.
-- KEYS[1] gw:numberRate:{number}  KEYS[2] gw:cmp:{campaign}
-- ARGV rate of the number per second, share of it for campaigns, tokens wanted, epoch, rate of the campaign
-- (0: none)
-- Returns {granted, ms until more is available, 0 or what was exhausted: 1 number, 2 campaign, 3 epoch}
-- A new budget starts empty: after Redis lost its data, tokens must not be granted a second time. Single
-- sends beyond their own part (number-rate-spend) have reduced this budget. In addition, a grant never makes
-- the second that ends with it exceed the number's rate, single sends included: fields 0 to 10 each hold the
-- number of a tenth of a second and, in the last five digits, the messages sent in it.
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local rate, share, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local epoch, own = tonumber(ARGV[4]), tonumber(ARGV[5])
-- Tokens gather for at most this many seconds of the rate.
local burst = 0.2
-- The share of a second that stays free for single sends after a grant.
local spare = 0.05

local campaign = redis.call('HMGET', KEYS[2], 'e', 't', 'at', 'until')
if campaign[1] and tonumber(campaign[1]) > epoch then return {0, 0, 3} end
local held = tonumber(campaign[4] or 0)
if held > now then return {0, math.ceil((held - now) / 1000), 2} end

local number = redis.call('HMGET', KEYS[1], 't', 'at', 'f', 'fat', 'until', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
local blocked = tonumber(number[5] or 0)
if blocked > now then return {0, math.ceil((blocked - now) / 1000), 1} end

local function elapsed(since) return math.max(0, now - tonumber(since or now)) / 1000000 end
-- After the provider has slowed a number down, a twentieth of the rate comes back each second.
local factor = math.min(1, tonumber(number[3] or 1) + elapsed(number[4]) * 0.05)

local function filled(tokens, at, fill) return math.min(math.max(1, fill * burst), tonumber(tokens or 0) + elapsed(at) * fill) end
local fill = rate * share * factor
local tokens = filled(number[1], number[2], fill)
local left = own > 0 and filled(campaign[2], campaign[3], own) or wanted

local slot, sent, inSlot = math.floor(now / 100000), 0, 0
for i = 6, 16 do
  local packed = tonumber(number[i] or 0)
  if math.floor(packed / 100000) > slot - 11 then sent = sent + packed % 100000 end
  if math.floor(packed / 100000) == slot then inSlot = packed % 100000 end
end
local room = math.max(1, rate * factor * (1 - spare)) - sent
local granted = math.max(0, math.floor(math.min(wanted, tokens, left, room)))

local whole = string.format('%.0f', now)
redis.call('HSET', KEYS[1], 't', string.format('%.6f', tokens - granted), 'at', whole, 'f', string.format('%.6f', factor),
  'fat', whole, 'r', rate, 's', share, slot % 11, string.format('%.0f', slot * 100000 + inSlot + granted))
redis.call('PEXPIRE', KEYS[1], 600000)
redis.call('HSET', KEYS[2], 'e', string.format('%.0f', epoch))
if own > 0 then redis.call('HSET', KEYS[2], 't', string.format('%.6f', left - granted), 'at', whole) end
redis.call('PEXPIRE', KEYS[2], 86400000)

if granted > 0 then return {granted, 0, 0} end
if tokens < 1 then return {0, math.ceil((1 - tokens) / fill * 1000), 1} end
if left < 1 then return {0, math.ceil((1 - left) / own * 1000), 2} end
return {0, 100, 1}
