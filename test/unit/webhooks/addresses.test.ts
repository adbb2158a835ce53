// The table of URLs that webhooks may and may not be sent to.

import assert from "node:assert/strict";
import { syncBuiltinESMExports } from "node:module";
import os, { networkInterfaces } from "node:os";
import { type TestContext, test } from "node:test";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import { createAddressRules, type HostPort } from "../../../src/webhooks/addresses.ts";
import { AttemptError } from "../../../src/webhooks/failures.ts";
import { createTargets, type Targets } from "../../../src/webhooks/targets.ts";

const NO_PROXIES = { httpsProxy: undefined, httpProxy: undefined, noProxy: [] };

const OWN = [
  { host: "animals.example.org", port: 443 },
  { host: "0.0.0.0", port: 8080 },
];

/** Answers of DNS. */
const NAMES: Record<string, string[]> = {
  "hooks.example.net": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "animals.example.org": ["93.184.215.15"],
  "localhost.example.net": ["93.184.215.14"],
  "half.example.net": ["10.0.0.5", "93.184.215.14"],
  "inner.example.net": ["10.0.0.5"],
  "all-inner.example.net": ["10.0.0.5", "127.0.0.1", "fd12::1", "fe80::1%eth0"],
  "mapped.example.net": ["::ffff:127.0.0.1"],
  "mapped-hex.example.net": ["::ffff:7f00:1"],
  "meta.example.net": ["169.254.169.254"],
  "nat64.example.net": ["64:ff9b::a00:5"],
  "6to4.example.net": ["2002:a00:5::"],
  "xn--bcher-kva.example": ["93.184.215.14"],
  "xn--strae-oqa.example": ["93.184.215.14"],
  // As an absolute name.
  "animals.example.org.": ["93.184.215.15"],
  "a_b.example.net": ["93.184.215.14"],
  receiver: ["172.18.0.3"],
};

function targetsWith(
  options: {
    allowHttp?: boolean;
    allow?: string[];
    own?: HostPort[];
    httpsProxy?: string;
    refusalMs?: number;
  } = {},
): Targets {
  const { allowHttp = false, allow = [], own = OWN, httpsProxy, refusalMs = 0 } = options;
  const rules = createAddressRules({ allowHttp, allow, findOwn: () => own });
  return createTargets({
    rules,
    proxies: { ...NO_PROXIES, httpsProxy },
    refusalMs,
    async resolve(host) {
      const found = NAMES[host];
      if (found === undefined) throw new AttemptError("name_without_address");
      return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
}

const PUBLIC = targetsWith();

async function findFault(targets: Targets, url: string, showsCause = true): Promise<string | undefined> {
  const error = await targets.check(url, { showsCause }).catch((thrown: unknown) => thrown);
  if (error === undefined) return undefined;
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.code, "url_not_allowed");
  return error.message;
}

const ACCEPTED = [
  "https://hooks.example.net",
  "https://hooks.example.net/path?query=1",
  "https://HOOKS.example.NET/",
  "HTTPS://hooks.example.net/",
  "https://hooks.example.net./",
  "https://hooks.example.net:443/",
  "https://hooks.example.net:8443/",
  "https://hooks.example.net:0443/",
  "https://hooks.example.net:/",
  "https://hooks.example.net/#part",
  "https://hooks.example.net/@127.0.0.1",
  "https://hooks.example.net/?to=http://127.0.0.1/",
  "https://bücher.example/",
  "https://xn--bcher-kva.example/",
  "https://straße.example/",
  "https://hooks。example。net/",
  "https://a_b.example.net/",
  // Only its public address is used.
  "https://half.example.net/",
  "https://93.184.215.14/",
  "https://1.1.1.1:8443/",
  "https://9.255.255.255/",
  "https://11.0.0.0/",
  "https://100.63.255.255/",
  "https://100.128.0.0/",
  "https://172.15.255.255/",
  "https://172.32.0.0/",
  "https://198.17.255.255/",
  "https://198.20.0.0/",
  "https://223.255.255.255/",
  "https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
  "https://[2001:200::1]/",
  "https://[::ffff:93.184.215.14]/",
  // Another port than the own one.
  "https://animals.example.org:8443/",
  "https://localhost.example.net/",
];

/** Each group with the words that its message has in common. */
const REJECTED: Record<string, string[]> = {
  "must be an https address": [
    "",
    "hooks.example.net",
    "//hooks.example.net/",
    "https:hooks.example.net",
    "https:/hooks.example.net",
    "https:\\\\hooks.example.net",
    "https://hooks.example.net\\@127.0.0.1/",
    " https://hooks.example.net/",
    "https://hooks.example.net/ x",
    "https://hooks.example.net/\n",
    "https://127.0.\t0.1/",
    "https://",
    "https:///hooks.example.net/",
    "https:////127.0.0.1/",
    "https://.hooks.example.net/",
    "https://hooks..example.net/",
    "https://hooks.example.net../",
    "https://animals.example.org../",
    "https://localhost../",
    "https://metadata.google.internal../",
    `https://${"a".repeat(64)}.example.net/`,
    `https://${"a.".repeat(126)}net/`,
    "https://hooks.example.net:65536/",
    "https://hooks.example.net:https/",
    "https://256.0.0.1/",
    "https://4294967296/",
    "https://127.0.0.08/",
    "https://foo.127.0.0.1/",
    "https://1.2.3.4.5/",
    "https://[::1/",
    "https://[fe80::1%25eth0]/",
    "https://[fe80::1%eth0]/",
    "https://exa mple.net/",
    "ftp://hooks.example.net/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/plain,x",
    "unix:/run/docker.sock",
  ],
  "must begin with https://": ["http://hooks.example.net/", "http://127.0.0.1/"],
  "user name or password": [
    "https://user@hooks.example.net/",
    "https://user:password@hooks.example.net/",
    "https://:password@hooks.example.net/",
    "https://@hooks.example.net/",
    "https://:@hooks.example.net/",
    "https://hooks.example.net:443@127.0.0.1/",
    "https://hooks.example.net@127.0.0.1/",
    "https://127.0.0.1%2f@hooks.example.net/",
  ],
  "port 0": ["https://hooks.example.net:0/", "https://hooks.example.net:00/"],
  "this service itself": [
    "https://animals.example.org/",
    "https://animals.example.org./",
    "https://ANIMALS.example.org:443/v1/pets",
    "https://animals.example.org:0443/",
    "https://animals。example。org/",
    "https://[::ffff:127.0.0.1]:8080/",
    "https://127.0.0.1:8080/",
    "https://[::1]:8080/",
    "https://0.0.0.0:8080/",
  ],
  "a host of a private network": [
    "https://localhost/",
    "https://LOCALHOST:9000/",
    "https://localhost./",
    "https://%6cocalhost/",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https://lo\u00adcalhost/",
    "https://local\u200bhost/",
    "https://localhost。/",
    "https://metadata。google。internal/",
    "https://instance-data/",
    "https://api.localhost/",
    "https://localhost.localdomain/",
    "https://ip6-localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://router.home.arpa/",
    "https://receiver/",
  ],
  "a loopback address": [
    "https://127.0.0.1/",
    "https://127.0.0.1./",
    "https://127.255.255.254/",
    "https://127.1/",
    "https://127.0.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0x7f.1./",
    "https://%31%32%37.0.0.1/",
    "https://１２７.0.0.1/",
    "https://①②⑦.0.0.1/",
    "https://127。0。0。1/",
    "https://127%2e0.0.1/",
    "https://127.0.0.1\u200b/",
    "https://127.0.0.0x1/",
    "https://00000177.0.0.1/",
    "https://127.0.0.1:443/",
    "https://[::1]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[0:0:0:0:0:FFFF:127.0.0.1]/",
  ],
  "an unspecified address": [
    "https://0.0.0.0/",
    "https://0/",
    "https://0.1.2.3/",
    "https://[::]/",
    "https://[::ffff:0:0]/",
  ],
  "a cloud metadata address": [
    "https://169.254.169.254/latest/meta-data/",
    "https://0xa9fea9fe/",
    "https://2852039166/",
    "https://[::ffff:169.254.169.254]/",
    "https://169.254.170.2/",
    "https://100.100.100.200/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://[fd00:ec2::254]/",
    "https://[fd20:ce::254]/",
  ],
  "a link-local address": [
    "https://169.254.0.1/",
    "https://0xa9fe0001/",
    "https://[fe80::1]/",
    "https://[febf::1]/",
  ],
  "a private address": [
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://012.0.0.1/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.1.1/",
    "https://3232235777/",
    "https://[::ffff:10.0.0.1]/",
    "https://[fc00::1]/",
    "https://[fdff::1]/",
  ],
  "a site-local address": ["https://[fec0::1]/"],
  "a shared address": ["https://100.64.0.1/", "https://100.127.255.255/"],
  "a benchmarking address": ["https://198.18.0.1/", "https://198.19.255.255/", "https://[2001:2::1]/"],
  "a documentation address": [
    "https://192.0.2.1/",
    "https://198.51.100.1/",
    "https://203.0.113.1/",
    "https://[2001:db8::1]/",
    "https://[3fff::1]/",
  ],
  "a NAT64 address": [
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::a00:1]/",
  ],
  "a 6to4 address": ["https://[2002:7f00:1::]/", "https://[2002:a9fe:a9fe::]/", "https://192.88.99.1/"],
  "a Teredo address": ["https://[2001:0:7f00:1::]/"],
  "a multicast address": ["https://224.0.0.1/", "https://239.255.255.255/", "https://[ff02::1]/"],
  "a broadcast address": ["https://255.255.255.255/"],
  "a reserved address": [
    "https://240.0.0.1/",
    "https://192.0.0.1/",
    "https://[::127.0.0.1]/",
    "https://[::ffff:0:127.0.0.1]/",
    "https://[::2]/",
    "https://[100::1]/",
    "https://[2001:10::1]/",
    "https://[5f00::1]/",
    "https://[4000::1]/",
    "https://[fe00::1]/",
  ],
  "The host name has no address.": ["https://unknown.example.net/"],
  "a private network or to this service": [
    "https://inner.example.net/",
    "https://all-inner.example.net/",
    "https://mapped.example.net/",
    "https://mapped-hex.example.net/",
    "https://nat64.example.net/",
    "https://6to4.example.net/",
    "https://meta.example.net/",
  ],
};

for (const url of ACCEPTED)
  test(`accepts ${url}`, async () => assert.equal(await findFault(PUBLIC, url), undefined));

for (const [words, urls] of Object.entries(REJECTED))
  for (const url of urls)
    test(`rejects ${JSON.stringify(url)}: ${words}`, async () => {
      const fault = (await findFault(PUBLIC, url)) ?? "accepted";
      assert.ok(fault.includes(words), fault);
    });

test("the message about a forbidden address says how to permit it, and that works", async () => {
  const fault = await findFault(PUBLIC, "https://10.0.0.5/");
  assert.equal(
    fault,
    "url must not lead to 10.0.0.5, a private address. An operator can permit it: add 10.0.0.5 to WEBHOOK_ALLOW.",
  );
  const permitted = targetsWith({ allow: ["10.0.0.5"] });
  assert.equal(await findFault(permitted, "https://10.0.0.5/"), undefined);
  assert.notEqual(await findFault(permitted, "https://10.0.0.6/"), undefined);
});

test("the message about a name does not show its private addresses", async () => {
  const fault = (await findFault(PUBLIC, "https://inner.example.net/")) as string;
  assert.match(fault, /add inner\.example\.net to WEBHOOK_ALLOW/);
  assert.doesNotMatch(fault, /10\.0\.0\.5/);
});

test("WEBHOOK_ALLOW permits ranges and names, and nothing else", async () => {
  const targets = targetsWith({ allow: ["10.0.0.0/8", "fd00::/8", "receiver"] });
  const accepted = ["10.1.2.3", "[fd12::1]", "[::ffff:10.0.0.1]", "inner.example.net", "receiver"];
  for (const host of accepted) assert.equal(await findFault(targets, `https://${host}/`), undefined, host);
  assert.equal(
    await findFault(targetsWith({ allow: ["later.example.net"] }), "https://later.example.net/"),
    undefined,
  );
  const rejected = [
    "192.168.0.1",
    "[fe80::1]",
    "meta.example.net",
    "other",
    "172.18.0.3",
    "sub.receiver.local",
  ];
  for (const host of rejected) assert.notEqual(await findFault(targets, `https://${host}/`), undefined, host);
  // With the zone that the system adds to such an address.
  const zone = await targetsWith({ allow: ["fe80::/10"] }).find("https://all-inner.example.net/");
  assert.deepEqual(zone.addresses, [{ address: "fe80::1%eth0", family: 6 }]);
  assert.match((await findFault(targets, "http://10.1.2.3/")) ?? "", /WEBHOOK_ALLOW_HTTP=1/);
});

test("WEBHOOK_ALLOW_HTTP permits http, to public addresses only", async () => {
  const targets = targetsWith({ allowHttp: true });
  assert.equal(await findFault(targets, "http://hooks.example.net/"), undefined);
  assert.match((await findFault(targets, "http://127.0.0.1/")) ?? "", /a loopback address/);
  assert.match((await findFault(targets, "ftp://hooks.example.net/")) ?? "", /must be an https address/);
});

test("no exception permits the service itself", async () => {
  const own = [...OWN, { host: "hooks.example.net", port: 443 }, { host: "10.0.0.5", port: 443 }];
  const allow = ["animals.example.org", "127.0.0.0/8", "::1", "10.0.0.0/8", "inner.example.net"];
  const targets = targetsWith({ own, allow });
  const urls = ["animals.example.org", "127.0.0.1:8080", "[::1]:8080", "10.0.0.5", "inner.example.net"];
  for (const host of urls)
    assert.match((await findFault(targets, `https://${host}/`)) ?? "accepted", /this service/, host);
  assert.equal(await findFault(targets, "https://127.0.0.1:9000/"), undefined);
});

test("a service that listens on all addresses is not reached through an address of the machine", async () => {
  const locals = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ family }) => family === "IPv4"),
  );
  assert.ok(locals.length > 0);
  const allow = locals.map(({ address }) => address);
  const targets = targetsWith({ allow });
  for (const { address } of locals) {
    assert.match((await findFault(targets, `https://${address}:8080/`)) ?? "accepted", /itself/);
    assert.equal(await findFault(targets, `https://${address}:8081/`), undefined);
  }
});

test("an attempt uses only the allowed addresses of a name, and none if there is none", async () => {
  const { addresses } = await PUBLIC.find("https://half.example.net/");
  assert.deepEqual(addresses, [{ address: "93.184.215.14", family: 4 }]);
  await assert.rejects(PUBLIC.find("https://all-inner.example.net/"), { code: "url_not_allowed" });
  await assert.rejects(PUBLIC.find("https://unknown.example.net/"), AttemptError);
});

test("names of the system's list of hosts are found", async () => {
  const rules = createAddressRules({ allowHttp: false, allow: ["localhost"], findOwn: () => [] });
  const { addresses } = await createTargets({ rules, proxies: NO_PROXIES }).find("https://localhost/");
  assert.ok(addresses.length > 0);
  for (const { address } of addresses) assert.ok(["127.0.0.1", "::1"].includes(address), address);
});

/** Public ones, because the addresses of the test machine may be in a forbidden range. */
function mockInterfaces(t: TestContext, ...addresses: string[]) {
  const mocked = t.mock.method(os, "networkInterfaces", () => ({
    eth0: addresses.map((address) => ({ address })),
  }));
  syncBuiltinESMExports();
  t.after(() => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  });
}

test("the addresses of the host's interfaces are forbidden on every port, unless an operator permits them", async (t) => {
  const [ipv4, ipv6] = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
  const urls = [
    `https://${ipv4}/`,
    `https://${ipv4}:8443/`,
    `https://[${ipv6}]/`,
    `https://[::ffff:${ipv4}]/`,
  ];
  for (const url of urls) assert.equal(await findFault(PUBLIC, url), undefined, "of another host");
  assert.equal((await PUBLIC.find("https://hooks.example.net/")).addresses.length, 2);
  mockInterfaces(t, ipv4, ipv6);
  for (const url of urls)
    assert.match((await findFault(PUBLIC, url)) ?? "accepted", /this host's own address/);
  assert.match((await findFault(PUBLIC, "https://hooks.example.net/")) ?? "accepted", /private network/);
  await assert.rejects(PUBLIC.find("https://hooks.example.net/"), { code: "url_not_allowed" });
  for (const allow of [[ipv4, ipv6], ["93.184.0.0/16", "2606::/16"], ["hooks.example.net"]])
    assert.equal((await targetsWith({ allow }).find("https://hooks.example.net/")).addresses.length, 2);
  assert.equal(await findFault(targetsWith({ allow: [ipv4] }), `https://${ipv4}:8443/`), undefined);
});

test("the address of PUBLIC_URL is forbidden on every port, also if no interface has it", async () => {
  const targets = targetsWith({ own: [{ host: "93.184.215.14", port: 443 }] });
  assert.match((await findFault(targets, "https://93.184.215.14/")) ?? "accepted", /this service itself/);
  assert.match(
    (await findFault(targets, "https://93.184.215.14:8443/")) ?? "accepted",
    /this host's own address/,
  );
});

test("a name that does not resolve and one with a forbidden address differ for admin only", async () => {
  const [unknown, inner] = ["https://unknown.example.net/", "https://inner.example.net/"];
  const message =
    "No public address was found for the host. Check its name. An operator can permit others with WEBHOOK_ALLOW.";
  for (const url of [unknown, inner]) assert.equal(await findFault(PUBLIC, url, false), message);
  assert.equal(await findFault(PUBLIC, unknown), "The host name has no address.");
  assert.match((await findFault(PUBLIC, inner)) ?? "", /private network/);
  assert.match(
    (await findFault(PUBLIC, "https://10.0.0.5/", false)) ?? "",
    /a private address/,
    "not a name",
  );
});

test("a refused name takes its time, so that a fast answer does not show that it exists", async () => {
  const refusalMs = 200;
  const targets = targetsWith({ refusalMs });
  for (const name of ["unknown", "inner"]) {
    const startedMs = performance.now();
    await findFault(targets, `https://${name}.example.net/`, false);
    // Timers may be early by a millisecond.
    assert.ok(performance.now() - startedMs >= refusalMs - 2);
  }
});

test("an address is checked again at every attempt", async (t) => {
  t.after(() => delete NAMES["moving.example.net"]);
  NAMES["moving.example.net"] = ["93.184.215.14"];
  assert.equal(await findFault(PUBLIC, "https://moving.example.net/"), undefined);
  NAMES["moving.example.net"] = ["127.0.0.1"];
  await assert.rejects(PUBLIC.find("https://moving.example.net/"), { code: "url_not_allowed" });
});

test("with a proxy, names are not resolved here, but forbidden addresses and names are still rejected", async () => {
  const targets = targetsWith({ httpsProxy: "http://proxy.example.org:3128" });
  const { proxy, addresses } = await targets.find("https://inner.example.net/");
  assert.deepEqual([proxy?.host, addresses], ["proxy.example.org:3128", []]);
  for (const host of ["127.0.0.1", "[::1]", "localhost", "metadata.google.internal", "animals.example.org"])
    assert.notEqual(await findFault(targets, `https://${host}/`), undefined, host);
});
