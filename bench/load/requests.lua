-- The script of wrk: sends the requests of a file from a random position on, and reports the run as one line of JSON.
-- Each line of the file is METHOD, space, path, and for a request with a body: tab, JSON.

local requests, at = {}, 0

local function with_body(method, path, body)
  local headers = { ["Content-Type"] = "application/json" }
  for name, value in pairs(wrk.headers) do headers[name] = value end
  return wrk.format(method, path, headers, body)
end

function init(args)
  -- Built in advance, so that this script does not slow down the run.
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(%u+) ([^\t]+)\t?(.*)$")
    requests[#requests + 1] = body == "" and wrk.format(method, path) or with_body(method, path, body)
  end
  math.randomseed(os.time())
  at = math.random(#requests)
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"durationUs":%d,"statusErrors":%d,"lost":%d,"late":%d,"p50Us":%d,"p99Us":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write, errors.timeout,
    latency:percentile(50), latency:percentile(99)
  ))
end
