// nginx with the file of deploy/, on free ports with a certificate of its own, stopped with the test.

import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../runner/folder.ts";
import { findProgram } from "../runner/packages.ts";
import { findFreePort } from "./ports.ts";
import { createTlsProxy, requireAnswer, startProxyProcess, type TlsProxy } from "./proxy-server.ts";

const NGINX_CONF = fileURLToPath(new URL("../../../deploy/nginx.conf", import.meta.url));
const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

export async function startNginx(t: TestContext, nodePorts: number[]): Promise<TlsProxy> {
  const [port, plainPort] = [await findFreePort(), await findFreePort()];
  const folder = makeFolder(t);
  const certificate = createCertificate(folder);
  const site = join(folder, "site.conf");
  writeFileSync(site, readSite({ folder, nodePorts, port, plainPort }));
  const proxy = createTlsProxy(t, {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    ca: readFileSync(certificate, "utf8"),
  });
  const check = () => requireAnswer(proxy.url, { agent: proxy.agentOf() });
  await startNginxWith(t, { folder, lines: `include ${site};`, check });
  return proxy;
}

interface NginxOptions {
  /** Made readable for every user: workers run as another one if root starts nginx. */
  folder?: string;
  /** Lines of the http block. */
  lines: string;
  /** Throws while nginx does not answer. */
  check(): Promise<unknown>;
  /** A command that runs nginx, such as taskset with its arguments. */
  prefix?: string[];
}

export async function startNginxWith(
  t: TestContext,
  { folder = makeFolder(t), lines, check, prefix = [] }: NginxOptions,
): Promise<void> {
  chmodSync(folder, 0o755);
  const paths = TEMPORARY.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const main = join(folder, "nginx.conf");
  writeFileSync(
    main,
    `daemon off; worker_processes 2; pid ${folder}/pid; error_log stderr;
     events {} http { access_log off; ${paths} ${lines} }`,
  );
  const [program = "", ...args] = [...prefix, findProgram("nginx"), "-p", folder, "-c", main, "-e", "stderr"];
  // SIGKILL would leave its workers.
  await startProxyProcess(t, { program, args, env: {}, endSignal: "SIGTERM" }, check);
}

interface Addresses {
  folder: string;
  nodePorts: number[];
  port: number;
  plainPort: number;
}

/** The file of deploy/ with other addresses. Throws if one of them is not in the file. */
function readSite({ folder, nodePorts, port, plainPort }: Addresses): string {
  const node = "server 127.0.0.1:8080 ";
  const text = readFileSync(NGINX_CONF, "utf8");
  const line = text.split("\n").find((each) => each.trim().startsWith(node)) ?? "";
  const replacements: Array<[string, string]> = [
    [line, nodePorts.map((each) => line.replace(":8080", `:${each}`)).join("\n")],
    ["listen 80;", `listen 127.0.0.1:${plainPort};`],
    ["listen [::]:80;", `listen 127.0.0.2:${plainPort};`],
    ["listen 443 ", `listen 127.0.0.1:${port} `],
    ["listen [::]:443 ", `listen 127.0.0.2:${port} `],
    ["/etc/letsencrypt/live/animals.example.org", folder],
    ["server_name animals.example.org", "server_name localhost"],
    ["/var/cache/animal-store-photos", `${folder}/photos`],
  ];
  return replacements.reduce((site, [from, to]) => {
    if (from === "" || !site.includes(from)) throw new Error(`deploy/nginx.conf has no "${from}"`);
    return site.replaceAll(from, to);
  }, text);
}

/** Returns the path of the certificate. */
function createCertificate(folder: string): string {
  const [certificate, key] = [join(folder, "fullchain.pem"), join(folder, "privkey.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const args = ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", certificate];
  execFileSync("openssl", args, { stdio: "ignore" });
  return certificate;
}

/** Nothing but `proxy_pass`, as after the installation of the package. Resolves to its http address. */
export async function startPlainNginx(t: TestContext, nodeUrl: string): Promise<string> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const lines = `server { listen 127.0.0.1:${port}; location / { proxy_pass ${nodeUrl}; } }`;
  await startNginxWith(t, { lines, check: () => fetch(`${url}/healthz`) });
  return url;
}
