// The arithmetic of domain/limits.ts as a script inside Redis: decided and charged in one step, by Redis' own clock.

/** What is kept of a key outlives its longest window and the memory of its bans. */
export const KEPT_MS = 86_460_000;

// A version that is gone, as after a restart without data, goes on above all it can have been: it starts from the time.

/** What is asked about one request: requests per minute, per day, the moment of the last pardon, 1 to charge or 0 to look, the version of the key that the caller goes by or "". */
export type AdmitValues = [
  perMinute: number,
  perDay: number,
  forgivenMs: number,
  isCharged: 0 | 1,
  version: number | "",
];

/** What is told about one request. */
export type AdmitReply = [
  verdict: string,
  minuteStartMs: number,
  minuteUsed: number,
  dayStartMs: number,
  dayUsed: number,
  banEndMs: number,
  version: string,
];

/**
 * Decides on several requests in turn: they share one journey, which costs more than their decisions.
 * KEYS: what is kept of the key of each request, and then, outside a cluster, the version of the animals.
 * ARGV: the number of requests, the time in ms or "" for Redis' own, and then the AdmitValues of each.
 * Gives back: the time, the version of the animals, and then the AdmitReply of each.
 */
export const ADMIT_SCRIPT = `
local requests, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local MINUTE, DAY, BAN_FIRST, BAN_MAX, GRACE = 60000, 86400000, 60000, 3600000, 1000

local time = redis.call('TIME')
if not now then now = time[1] * 1000 + math.floor(time[2] / 1000) end

local function from_time() return string.format('%.0f', time[1] * 1000000 + time[2]) end

local pets_key = KEYS[requests + 1]
local pets = pets_key and redis.call('GET', pets_key)
if pets_key and not pets then
  pets = from_time()
  redis.call('SET', pets_key, pets)
end

local function admit(key, per_minute, per_day, forgiven, is_charged, expected)
  local h = redis.call('HMGET', key, 'ms', 'mu', 'ds', 'du', 'rs', 'ru', 'bs', 'be', 'bn', 'fr', 'v')
  local version = h[11]
  if not version then
    version = from_time()
    redis.call('HSET', key, 'v', version)
    redis.call('PEXPIRE', key, ${KEPT_MS})
  end
  for i = 1, 10 do h[i] = tonumber(h[i] or 0) end
  local ms, mu, ds, du, rs, ru, bs, be, bn, fr = unpack(h, 1, 10)

  -- What has run out is dropped; what begins in the future begins now.
  local is_moved = false
  local function settle(start, used, length)
    if used == 0 or now - start >= length then return 0, 0 end
    if start <= now then return start, used end
    is_moved = true
    return now, used
  end
  ms, mu = settle(ms, mu, MINUTE)
  ds, du = settle(ds, du, DAY)
  rs, ru = settle(rs, ru, MINUTE)
  if rs <= forgiven then rs, ru = 0, 0 end
  if bs <= forgiven or now - bs >= DAY then bs, be, bn = 0, 0, 0
  elseif bs > now then bs, be, is_moved = now, now + be - bs, true end
  if fr > now then fr, is_moved = now, true end

  local function answer(verdict)
    return { verdict, ms, mu, ds, du, be, version }
  end
  if expected ~= '' and expected ~= version then return answer('stale') end
  if not is_charged then return answer(now < be and 'banned' or 'admitted') end
  local function store()
    local stored = {}
    for i, value in ipairs({ ms, mu, ds, du, rs, ru, bs, be, bn, fr }) do stored[i] = string.format('%.0f', value) end
    redis.call('HSET', key, 'ms', stored[1], 'mu', stored[2], 'ds', stored[3], 'du', stored[4], 'rs', stored[5],
      'ru', stored[6], 'bs', stored[7], 'be', stored[8], 'bn', stored[9], 'fr', stored[10])
    redis.call('PEXPIRE', key, ${KEPT_MS})
  end
  if now < be then
    -- A ban that had to be moved to now must not be moved again by the next request.
    if is_moved then store() end
    return answer('banned')
  end

  local verdict = 'admitted'
  local minute_full, day_full = mu >= per_minute, du >= per_day
  if minute_full and day_full then
    local minute_reset, day_reset = (mu == 0 and now or ms) + MINUTE, (du == 0 and now or ds) + DAY
    verdict = day_reset >= minute_reset and 'day' or 'minute'
  elseif minute_full then verdict = 'minute'
  elseif day_full then verdict = 'day' end

  if verdict == 'admitted' then
    if mu == 0 then ms = now end
    if du == 0 then ds = now end
    mu, du, fr = mu + 1, du + 1, 0
  elseif fr == 0 then fr = now
  elseif now - fr >= GRACE then
    if ru == 0 then rs = now end
    ru = ru + 1
    if ru > math.max(50, per_minute) then
      bn = bn + 1
      bs, be = now, now + math.min(BAN_FIRST * 2 ^ (bn - 1), BAN_MAX)
      rs, ru, verdict = 0, 0, 'banned'
    end
  end

  store()
  return answer(verdict)
end

local replies = { now, pets or '0' }
for i = 1, requests do
  local at = 2 + (i - 1) * 5
  replies[i + 2] = admit(KEYS[i], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]),
    ARGV[at + 4] == '1', ARGV[at + 5])
end
return replies
`;

/** KEYS: what is kept of one key, or the version of the animals. ARGV: the field of a hash, or "". */
export const RAISE_SCRIPT = `
local time = redis.call('TIME')
local from_time = string.format('%.0f', time[1] * 1000000 + time[2])
if ARGV[1] == '' then
  if redis.call('EXISTS', KEYS[1]) == 0 then return redis.call('SET', KEYS[1], from_time) end
  return redis.call('INCR', KEYS[1])
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return redis.call('HINCRBY', KEYS[1], ARGV[1], 1) end
redis.call('HSET', KEYS[1], ARGV[1], from_time)
return redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
`;
