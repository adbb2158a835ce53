// The arithmetic of domain/limits.ts as a script inside Redis: decided and charged in one step, by Redis' own clock.

/** What is kept of a key outlives its longest window and the memory of its bans. */
export const KEPT_MS = 86_460_000;

// Versions come from the database. Redis holds a copy that only rises: a lower one is raised by whoever knows a higher.

/** What is asked about one request: requests per minute, per day, the moment of the last pardon, 1 to charge or 0 to look, the version of the key that the caller goes by or "" for one without. */
export type AdmitValues = [
  perMinute: number,
  perDay: number,
  forgivenMs: number,
  isCharged: 0 | 1,
  version: number | "",
];

export type AdmitHead = [
  requests: number,
  /** The time of the decision, for tests; "" for Redis' own. */
  nowMs: number | "",
  /** By Redis' own time: after it nobody waits for the answer, and nothing is charged. */
  deadlineMs: number | "",
  epoch: string,
  /** The version of the animals that the caller knows. */
  pets: number,
];

/** What is told about one request. */
export type AdmitReply = [
  verdict: string,
  minuteStartMs: number,
  minuteUsed: number,
  dayStartMs: number,
  dayUsed: number,
  banEndMs: number,
  version: number,
];

/**
 * Decides on several requests in turn: they share one journey, which costs more than their decisions.
 * KEYS: what is kept of the key of each request, and then, outside a cluster, the version of the animals.
 * ARGV: the AdmitHead, and then the AdmitValues of each.
 * Gives back: Redis' own time in ms and, unless it is past the deadline, the time of the decision, the version of the
 * animals, and then the AdmitReply of each.
 */
export const ADMIT_SCRIPT = `
local requests, now, deadline = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local version_field, known_pets = 'v:' .. ARGV[4], tonumber(ARGV[5])
local MINUTE, DAY, BAN_FIRST, BAN_MAX, GRACE = 60000, 86400000, 60000, 3600000, 1000

local time = redis.call('TIME')
local own = time[1] * 1000 + math.floor(time[2] / 1000)
if deadline and own > deadline then return { own } end
now = now or own

local pets_key = KEYS[requests + 1]
local pets = pets_key and tonumber(redis.call('GET', pets_key) or -1) or 0
if pets_key and pets < known_pets then
  pets = known_pets
  redis.call('SET', pets_key, ARGV[5], 'PX', ${KEPT_MS})
end

local function admit(key, per_minute, per_day, forgiven, is_charged, expected)
  local h = redis.call('HMGET', key, 'ms', 'mu', 'ds', 'du', 'rs', 'ru', 'bs', 'be', 'bn', 'fr', version_field)
  local version, read_version = tonumber(h[11] or 0), tonumber(expected)
  if read_version and version < read_version then
    version = read_version
    redis.call('HSET', key, version_field, expected)
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
  if read_version and read_version < version then return answer('stale') end
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

local replies = { own, now, pets }
for i = 1, requests do
  local at = 5 + (i - 1) * 5
  replies[i + 3] = admit(KEYS[i], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]),
    ARGV[at + 4] == '1', ARGV[at + 5])
end
return replies
`;

/** Raises a version, never lowers it. KEYS: the version of the animals, or what is kept of one key. ARGV: the version, and for a key its epoch. */
export const PUBLISH_SCRIPT = `
local version, epoch = tonumber(ARGV[1]), ARGV[2]
if not epoch then
  if tonumber(redis.call('GET', KEYS[1]) or -1) < version then redis.call('SET', KEYS[1], ARGV[1], 'PX', ${KEPT_MS}) end
  return 1
end
local field = 'v:' .. epoch
if tonumber(redis.call('HGET', KEYS[1], field) or 0) < version then
  redis.call('HSET', KEYS[1], field, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ${KEPT_MS})
end
return 1
`;
