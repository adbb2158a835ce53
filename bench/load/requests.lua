-- The script of wrk: sends the requests of a file from a random position on, and reports the run as one line of JSON.
-- Each line of the file is METHOD, space, path, tab, JSON body or nothing, and for each header: tab, name, colon, space, value.

local requests, at = {}, 0

local function build(line)
  local method, path, body, rest = line:match("^(%u+) ([^\t]+)\t([^\t]*)(.*)$")
  local headers = {}
  for name, value in pairs(wrk.headers) do headers[name] = value end
  for name, value in rest:gmatch("\t([^:]+): ([^\t]+)") do headers[name] = value end
  if body == "" then return wrk.format(method, path, headers) end
  headers["Content-Type"] = "application/json"
  return wrk.format(method, path, headers, body)
end

function init(args)
  -- Built in advance, so that this script does not slow down the run.
  for line in io.lines(args[1]) do requests[#requests + 1] = build(line) end
  math.randomseed(os.time())
  at = math.random(#requests)
  -- A second argument is a pause in milliseconds before each request, which does not count as latency.
  if args[2] then delay = function() return tonumber(args[2]) end end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors, p99 = summary.errors, latency:percentile(99)
  local sums = '{"requests":%d,"bytes":%d,"durationUs":%d,"p99Us":%d,'
  io.write(sums:format(summary.requests, summary.bytes, summary.duration, p99))
  local lost = errors.connect + errors.read + errors.write
  local faults = '"error responses":%d,"lost responses":%d,"late responses":%d}\n'
  io.write(faults:format(errors.status, lost, errors.timeout))
end
