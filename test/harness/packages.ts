// Programs that the tests need besides npm packages: found, or installed from Debian packages where that is possible.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

interface Program {
  /** Environment variable with the path of the program. */
  variable: string;
  places: string[];
  package: string;
  /** Installed by the test that needs it: it is large, and only `npm run faults` needs it. */
  isLarge?: boolean;
}

export const PROGRAMS = {
  postgres: {
    variable: "TEST_POSTGRES",
    places: [
      ...["18", "17", "16", "15", "14", "13"].map((version) => `/usr/lib/postgresql/${version}/bin/postgres`),
      "/usr/local/bin/postgres",
    ],
    package: "postgresql",
  },
  redis: {
    variable: "TEST_REDIS",
    places: ["/usr/bin/redis-server", "/usr/bin/valkey-server", "/usr/local/bin/redis-server"],
    package: "redis-server",
  },
  pgbouncer: {
    variable: "TEST_PGBOUNCER",
    places: ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"],
    package: "pgbouncer",
  },
  chromium: {
    variable: "CHROMIUM",
    // Chromium without its windows: the same engine, and a third less processor time.
    places: [
      ...["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser"],
      "/usr/bin/google-chrome",
    ],
    package: "chromium-headless-shell",
  },
  caddy: {
    variable: "TEST_CADDY",
    places: ["/usr/bin/caddy", "/usr/local/bin/caddy"],
    package: "caddy",
  },
  nginx: {
    variable: "TEST_NGINX",
    places: ["/usr/sbin/nginx", "/usr/local/sbin/nginx"],
    package: "nginx",
  },
  python: {
    variable: "TEST_PYTHON",
    places: ["/usr/bin/python3", "/usr/local/bin/python3"],
    package: "python3",
  },
  systemdAnalyze: {
    variable: "TEST_SYSTEMD_ANALYZE",
    places: ["/usr/bin/systemd-analyze"],
    package: "systemd",
  },
  promtool: {
    variable: "TEST_PROMTOOL",
    places: ["/usr/bin/promtool", "/usr/local/bin/promtool"],
    package: "prometheus",
    isLarge: true,
  },
} satisfies Record<string, Program>;

/** Throws an error of one line that says what to install or set. */
export function findProgram(program: keyof typeof PROGRAMS): string {
  const { variable, places, package: name } = PROGRAMS[program];
  const given = process.env[variable];
  const find = () => [given ?? "", ...places].find((place) => place !== "" && existsSync(place));
  const found = find() ?? (install(name) ? find() : undefined);
  if (found === undefined)
    throw new Error(`The tests need ${name}: install it, or set ${variable} to its path.`);
  return found;
}

function install(name: string): boolean {
  try {
    // RUNLEVEL=1 keeps Debian from starting the installed servers; the tests start their own.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    execFileSync("apt-get", ["update"], { stdio: "ignore", env });
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", name], { stdio: "ignore", env });
    return true;
  } catch {
    return false;
  }
}
