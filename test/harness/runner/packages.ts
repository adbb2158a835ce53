// Programs that the tests need besides npm packages: found, or installed from Debian packages where that is possible.

import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

interface Program {
  /** Environment variable with the path of the program. */
  variable: string;
  places: string[];
  package: string;
  /** Installed when it is needed: it is large and only for `npm run faults`, or only for `npm run bench`. */
  isOnDemand?: boolean;
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
      "/usr/bin/chromium-headless-shell",
      "/usr/bin/chromium",
      "/usr/bin/chromium-browser",
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
    isOnDemand: true,
  },
  wrk: {
    variable: "WRK",
    places: ["/usr/bin/wrk", "/usr/local/bin/wrk"],
    package: "wrk",
    isOnDemand: true,
  },
} satisfies Record<string, Program>;

const UPDATE = ["update"];
const INSTALL = ["install", "--yes", "--no-install-recommends"];

/**
 * Finds all programs but those on demand. Installs those that are missing together: one by one takes three times as long.
 * Throws what `findProgram` throws.
 */
export async function findPrograms(): Promise<void> {
  const names = Object.keys(PROGRAMS) as Array<keyof typeof PROGRAMS>;
  const needed = names.filter((name) => !("isOnDemand" in PROGRAMS[name]));
  const missing = needed.map((name) => PROGRAMS[name]).filter((program) => find(program) === undefined);
  if (missing.length > 0) {
    const run = (args: string[]) => promisify(execFile)("apt-get", args, { env: aptEnvironment() });
    try {
      await run(UPDATE);
      await run([...INSTALL, ...missing.map((program) => program.package)]);
    } catch {
      // findProgram tries again, one by one.
    }
  }
  for (const name of needed) findProgram(name);
}

/** Throws an error of one line that says what to install or set. */
export function findProgram(name: keyof typeof PROGRAMS): string {
  const program = PROGRAMS[name];
  const found = find(program) ?? (install(program.package) ? find(program) : undefined);
  if (found === undefined)
    throw new Error(`The tests need ${program.package}: install it, or set ${program.variable} to its path.`);
  return found;
}

function find({ variable, places }: Program): string | undefined {
  return [process.env[variable] ?? "", ...places].find((place) => place !== "" && existsSync(place));
}

function install(name: string): boolean {
  const options = { stdio: "ignore", env: aptEnvironment() } as const;
  try {
    execFileSync("apt-get", UPDATE, options);
    execFileSync("apt-get", [...INSTALL, name], options);
    return true;
  } catch {
    return false;
  }
}

/** RUNLEVEL=1 keeps Debian from starting the installed servers; the tests start their own. */
function aptEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
}
