-- Takes one token from each bucket, or gives one back, by the clock of the Redis server.
-- KEYS gw:rl:{key}, ...
-- ARGV[3i-2] rate per second, ARGV[3i-1] burst, ARGV[3i] 1 to take or -1 to give back, for the i-th bucket
-- Returns for each bucket {allowed 0 or 1, whole tokens remaining, ms until the next token}
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local function take(key, rate, burst, count)
  local bucket = redis.call('HMGET', key, 't', 'at')
  local tokens = tonumber(bucket[1] or burst)
  -- A clock that was set back must not remove tokens.
  local elapsed = math.max(0, now - tonumber(bucket[2] or now))
  tokens = math.min(burst, tokens + elapsed * rate / 1000000)
  local allowed = tokens >= count and 1 or 0
  tokens = math.min(burst, tokens - allowed * count)
  redis.call('HSET', key, 't', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
  redis.call('PEXPIRE', key, math.ceil((burst - tokens) / rate * 1000) + 1000)
  local wait = allowed == 1 and 0 or math.ceil((1 - tokens) / rate * 1000)
  return {allowed, math.floor(tokens), wait}
end

local results = {}
for i = 1, #KEYS do
  results[i] = take(KEYS[i], tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]))
end
return results
