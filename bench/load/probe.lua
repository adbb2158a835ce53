-- A few connections that time hot lists while another wrk makes the load: they are open before it begins, and ask once it is in full swing.
-- Otherwise the time that Node takes to accept 64 connections at once would pass for the latency of a list.

local here = debug.getinfo(1, "S").source:match("^@(.*/)")
dofile(here .. "requests.lua")

local read_requests = init
local wait_ms, waiting = 0, 0

function init(args)
  read_requests(args)
  wait_ms, waiting = tonumber(args[2]), tonumber(args[3])
end

-- Asked before each request of each connection; what it says does not count as latency.
function delay()
  if waiting == 0 then return 0 end
  waiting = waiting - 1
  return wait_ms
end
