// What the console calls a device, from what its browser says about itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameDevice } from "../../../console/src/sign-in/device-name.ts";

const SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0";

test("a device is called like its maker and its browser call it", () => {
  const agents: Record<string, string> = {
    [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${SAFARI} Mobile/15E148 Safari/604.1`]:
      "iPhone, Safari",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/150.0 Safari/604.1":
      "iPhone, Chrome",
    [`Mozilla/5.0 (Linux; Android 16; K) ${CHROME} Mobile Safari/537.36`]: "Android, Chrome",
    [`Mozilla/5.0 (Linux; Android 16; SM-S931) SamsungBrowser/28.0 ${CHROME} Safari/537.36`]:
      "Android, Samsung Internet",
    "Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0": "Android, Firefox",
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/150.0.0.0`]: "Windows, Edge",
    [`Mozilla/5.0 (X11; CrOS x86_64 16000.0.0) ${CHROME} Safari/537.36`]: "Chromebook, Chrome",
    "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0": "Linux, Firefox",
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Safari/605.1.15`]: "Mac, Safari",
    "curl/9.0": "",
  };
  for (const [userAgent, name] of Object.entries(agents))
    assert.equal(nameDevice({ userAgent, maxTouchPoints: 0 }), name, userAgent);
});

test("an iPad is recognised by its touch screen", () => {
  const userAgent = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Safari/605.1.15`;
  assert.equal(nameDevice({ userAgent, maxTouchPoints: 5 }), "iPad, Safari");
});
