-- A few connections that time hot lists while another wrk makes the load. They are opened before the load starts and send
-- their first request when it is running, so that the time Node takes to accept 64 connections does not count as latency.

local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "requests.lua")

local read_requests = init
local wait_ms, waiting = 0, 0

function init(args)
  read_requests(args)
  wait_ms, waiting = tonumber(args[2]), tonumber(args[3])
end

-- wrk calls this before each request of each connection; the delay does not count as latency.
function delay()
  if waiting == 0 then return 0 end
  waiting = waiting - 1
  return wait_ms
end
