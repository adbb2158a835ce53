// The arithmetic of domain/keys/admission.ts as a Lua script: Redis decides and charges in one step, by its own clock.

import {
  BAN_AFTER_REFUSALS,
  BAN_GRACE_MS,
  BAN_MAX_MS,
  BAN_MEMORY_MS,
  BAN_MS,
  BAN_WINDOW_MS,
  WINDOW_MS,
} from "../../domain/keys/admission.ts";

/** Expiry of a hash of counts: later than every window and ban that it holds. */
export const KEPT_MS = Math.max(WINDOW_MS.day, BAN_MEMORY_MS) + 60_000;

// Versions come from the database. Redis holds copies that never fall: every caller raises a copy that is lower than
// the version it knows.

/** The values of one request, or of several equal ones with the same key. */
export type AdmitValues = [
  perMinute: number,
  /** "" for a key without a limit per day, which is never banned. */
  perDay: number | "",
  /** Bans and refusals from before this time do not count. */
  unbannedAtMs: number,
  /** 0 only looks. */
  isCharged: 0 | 1,
  /** The version of the key that the caller has read; "" for a key without versions. */
  version: number | "",
];

export type AdmitHead = [
  /** How many AdmitValues follow, each with the number of its requests. */
  runs: number,
  /** The time of the decision, for tests; "" for the clock of Redis. */
  nowMs: number | "",
  /** By the clock of Redis. After it the caller no longer waits, and nothing is charged. */
  deadlineMs: number | "",
  epoch: string,
  /** The version of the animals that the caller knows; raises the copy in Redis. */
  pets: number,
];

/** The decision on one request, or on several admitted ones: each of them has used one more than the one before. */
export type AdmitReply = [
  requests: number,
  verdict: string,
  minuteStartMs: number,
  /** By the first of the requests and those before it. */
  minuteUsed: number,
  dayStartMs: number,
  dayUsed: number,
  banEndMs: number,
  version: number,
];

/**
 * Decides on several requests in order: a round trip costs more than their decisions.
 * KEYS: the hash of counts for each run of equal requests, and then, outside a cluster, the version of the animals.
 * ARGV: the AdmitHead, and then for each run its AdmitValues and the number of its requests.
 * Returns the time of Redis in ms and, unless that is past the deadline, the time of the decision, the version of the
 * animals, and AdmitReplies for all requests in order.
 */
export const ADMIT_SCRIPT = `
local runs, now, deadline = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local version_field, known_pets = 'v:' .. ARGV[4], tonumber(ARGV[5])
local MINUTE, DAY = ${WINDOW_MS.minute}, ${WINDOW_MS.day}
local BAN, BAN_MAX, BAN_MEMORY = ${BAN_MS}, ${BAN_MAX_MS}, ${BAN_MEMORY_MS}
local BAN_WINDOW, BAN_GRACE, BAN_AFTER_REFUSALS = ${BAN_WINDOW_MS}, ${BAN_GRACE_MS}, ${BAN_AFTER_REFUSALS}

local time = redis.call('TIME')
local own = time[1] * 1000 + math.floor(time[2] / 1000)
if deadline and own > deadline then return { own } end
now = now or own

local pets_key = KEYS[runs + 1]
local pets = pets_key and tonumber(redis.call('GET', pets_key) or -1) or 0
if pets_key and pets < known_pets then
  pets = known_pets
  redis.call('SET', pets_key, ARGV[5], 'PX', ${KEPT_MS})
end

-- Many requests of a tick have the same key: its hash is read and written once for all of them.
local states = {}
local function state_of(key)
  local state = states[key]
  if not state then
    local h = redis.call('HMGET', key, 'ms', 'mu', 'ds', 'du', 'rs', 'ru', 'bs', 'be', 'bn', 'fr', version_field)
    state = { counts = {}, version = tonumber(h[11] or 0), is_changed = false }
    for i = 1, 10 do state.counts[i] = tonumber(h[i] or 0) end
    states[key] = state
  end
  return state
end

-- Answers the first of the requests that are left, and those that get the same answer.
local function admit(key, per_minute, per_day, unbanned_at, is_charged, expected, left)
  local state = state_of(key)
  local read_version = tonumber(expected)
  if read_version and state.version < read_version then
    state.version = read_version
    redis.call('HSET', key, version_field, expected)
    redis.call('PEXPIRE', key, ${KEPT_MS})
  end
  local version = state.version
  local ms, mu, ds, du, rs, ru, bs, be, bn, fr = unpack(state.counts)

  -- Windows that have ended are dropped; one that starts in the future starts now.
  local is_rolled = false
  local function roll_window(start, used, length)
    if used == 0 then return 0, 0 end
    if start <= now and now - start < length then return start, used end
    is_rolled = true
    if start > now then return now, used end
    return 0, 0
  end
  ms, mu = roll_window(ms, mu, MINUTE)
  ds, du = roll_window(ds, du, DAY)
  rs, ru = roll_window(rs, ru, BAN_WINDOW)
  if rs <= unbanned_at then rs, ru = 0, 0 end
  if bs <= unbanned_at or now - bs >= BAN_MEMORY then bs, be, bn = 0, 0, 0
  elseif bs > now then bs, be, is_rolled = now, now + be - bs, true end
  if fr > now then fr, is_rolled = now, true end

  local function answer(verdict)
    return { 1, verdict, ms, mu, ds, du, be, version }
  end
  if read_version and read_version < version then return answer('stale') end
  if not is_charged then return answer(now < be and 'banned' or 'admitted') end
  local function change()
    state.counts = { ms, mu, ds, du, rs, ru, bs, be, bn, fr }
    state.is_changed = true
  end
  if now < be then
    -- Stored once, so that a clock that is set back later moves the ban only once, and revives no window that has ended.
    if is_rolled then change() end
    return answer('banned')
  end

  local verdict = 'admitted'
  local minute_full, day_full = mu >= per_minute, per_day and du >= per_day
  if minute_full and day_full then
    local minute_reset, day_reset = (mu == 0 and now or ms) + MINUTE, (du == 0 and now or ds) + DAY
    verdict = day_reset >= minute_reset and 'day' or 'minute'
  elseif minute_full then verdict = 'minute'
  elseif day_full then verdict = 'day' end

  if verdict == 'admitted' then
    if mu == 0 then ms = now end
    mu, fr = mu + 1, 0
    if per_day then
      if du == 0 then ds = now end
      du = du + 1
    end
  elseif per_day and fr == 0 then fr = now
  elseif per_day and now - fr >= BAN_GRACE then
    if ru == 0 then rs = now end
    ru = ru + 1
    if ru > math.max(BAN_AFTER_REFUSALS, per_minute) then
      bn = bn + 1
      bs, be = now, now + math.min(BAN * 2 ^ (bn - 1), BAN_MAX)
      rs, ru, verdict = 0, 0, 'banned'
    end
  end

  local reply = answer(verdict)
  if verdict == 'admitted' then
    -- Equal requests at the same time are admitted too, until a window is full.
    local more = math.min(left - 1, per_minute - mu, per_day and per_day - du or left)
    reply[1], mu = 1 + more, mu + more
    if per_day then du = du + more end
  end
  change()
  return reply
end

local replies = { own, now, pets }
for i = 1, runs do
  local at = 5 + (i - 1) * 6
  local per_minute, per_day, unbanned_at = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local left = tonumber(ARGV[at + 6])
  while left > 0 do
    local reply = admit(KEYS[i], per_minute, per_day, unbanned_at, ARGV[at + 4] == '1', ARGV[at + 5], left)
    replies[#replies + 1] = reply
    left = left - reply[1]
  end
end
for key, state in pairs(states) do
  if state.is_changed then
    local c = {}
    for i, value in ipairs(state.counts) do c[i] = string.format('%.0f', value) end
    redis.call('HSET', key, 'ms', c[1], 'mu', c[2], 'ds', c[3], 'du', c[4], 'rs', c[5],
      'ru', c[6], 'bs', c[7], 'be', c[8], 'bn', c[9], 'fr', c[10])
    redis.call('PEXPIRE', key, ${KEPT_MS})
  end
end
return replies
`;

/**
 * Raises a version, never lowers it. KEYS: the version of the animals, or the hash of a key. ARGV: the version, and for
 * a key the epoch.
 */
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
