// The configuration, read from the environment. No other file reads the environment.

import { SettingError } from "./setting-readers.ts";
import { SETTINGS } from "./settings.ts";
import { OperatorError } from "./tools/operator-error.ts";

type Settings = typeof SETTINGS;
type Value<S extends Settings[keyof Settings]> =
  | ReturnType<S["read"]>
  | (S extends { default: string } ? never : undefined);

/** The value of every setting. One without a default is undefined when its variable is not set. */
export type Config = { [Member in keyof Settings]: Value<Settings[Member]> } & { isStartedByNpm: boolean };

export class ConfigError extends OperatorError {
  readonly faults: string[];

  constructor(faults: string[]) {
    const lines = faults.map((fault) => `\n  ${fault}`).join("");
    super(
      `The configuration is not valid. Correct these variables; docs/operating.md lists them all:${lines}`,
    );
    this.faults = faults;
  }
}

/** Throws one ConfigError that names all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [member, setting] of Object.entries(SETTINGS)) {
    const text = env[setting.name] || ("default" in setting ? setting.default : undefined);
    if (text === undefined) continue;
    try {
      values[member] = setting.read(text);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      faults.push(`${setting.name} ${error.message}`);
    }
  }
  if (values.metricsToken !== undefined && values.metricsToken === values.adminApiKey)
    faults.push("METRICS_TOKEN must differ from ADMIN_API_KEY");
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...values, isStartedByNpm: env.npm_lifecycle_event !== undefined } as Config;
}

/** Reads the environment with some of its variables replaced. */
export function readConfigWith(replaced: NodeJS.ProcessEnv): Config {
  return readConfig({ ...process.env, ...replaced });
}

/** The address of the database without its password. */
export function describeDatabase({ database }: Config): string {
  if (database.engine === "sqlite") return database.path;
  const { host, pathname } = new URL(database.url);
  return `postgres://${host}${pathname}`;
}

/** The addresses of Redis without passwords. */
export function describeRedis(url: string): string {
  const shown = url.split(",").map((each) => `redis://${new URL(each).host}`);
  return shown.join(",");
}
