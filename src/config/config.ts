// The configuration, read from the environment and a .env file. No other file reads the environment.

import { findClosestName } from "../tools/close-names.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { nameServer, splitServers } from "../tools/postgres-url.ts";
import { COMMAND } from "../tools/program.ts";
import { parseSentinelUrl } from "../tools/sentinel-url.ts";
import { quoteWord } from "../tools/shell-words.ts";
import { type EnvFile, readEnvFile } from "./env-file.ts";
import { SettingError } from "./setting-readers.ts";
import { describeSettings, SETTINGS, type Setting } from "./settings.ts";

export { describeSettings } from "./settings.ts";

type Settings = typeof SETTINGS;
type Value<S extends Settings[keyof Settings]> =
  | ReturnType<S["read"]>
  | (S extends { default: string } ? never : undefined);

/** The value of every setting. One without a default is undefined when its variable is not set. */
export type Config = { [Member in keyof Settings]: Value<Settings[Member]> } & { isStartedByNpm: boolean };

export class ConfigError extends OperatorError {
  static readonly advice =
    `Correct these variables. To see what each accepts, run: ${COMMAND} settings --help`;
  readonly faults: string[];

  constructor(faults: string[]) {
    const lines = faults.map((fault) => `\n  ${fault}`).join("");
    super(`The configuration is not valid. ${ConfigError.advice}${lines}`);
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
      const source = isFromFile(setting.name) ? ` in ${loadedFile?.path}` : "";
      faults.push(`${setting.name}${source} ${error.message}`);
    }
  }
  faults.push(...findMissedAddresses(env));
  if (values.metricsToken !== undefined && values.metricsToken === values.adminApiKey)
    faults.push("METRICS_TOKEN must differ from ADMIN_API_KEY");
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...values, isStartedByNpm: env.npm_lifecycle_event !== undefined } as Config;
}

export function readConfigWith(replaced: NodeJS.ProcessEnv): Config {
  return readConfig({ ...process.env, ...replaced });
}

/** Says how the address of a database must be; undefined for a valid one. */
export function findAddressFault(address: string): string | undefined {
  try {
    SETTINGS.database.read(address);
    return undefined;
  } catch (error) {
    if (error instanceof SettingError) return error.message;
    throw error;
  }
}

/** The address of the database without its password. */
export function describeDatabase({ database }: Pick<Config, "database">): string {
  if (database.engine === "sqlite") return database.path;
  const servers = splitServers(database.url);
  const { host, pathname } = new URL(servers[0] as string);
  return `postgres://${servers.length === 1 ? host : servers.map(nameServer).join(",")}${pathname}`;
}

/** The addresses of Redis without passwords. */
export function describeRedis(url: string): string {
  const sentinel = parseSentinelUrl(url);
  if (sentinel !== undefined) {
    const scheme = sentinel.isTls ? "rediss+sentinel" : "redis+sentinel";
    return `${scheme}://${sentinel.sentinels.join(",")}/${sentinel.master}`;
  }
  return url.split(",").map(describeAddress).join(",");
}

/** Without user, password and path. */
function describeAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** The part of a .env file that took effect, and what is odd about it. */
interface LoadedFile {
  path: string;
  /** Settings whose value comes from the file; not those that the environment has too. */
  names: string[];
  lines: EnvFile["lines"];
  warnings: SettingWarning[];
}

interface SettingWarning {
  problem: string;
  advice: string;
}

let loadedFile: LoadedFile | undefined;
/** Names in the environment before the variables of the file are added. */
let environmentNames: string[] = [];

/** Shorter names of settings are near many words: only a mistake in the order of their letters counts. */
const CLEAR_LENGTH = 6;

/**
 * Adds the variables of ENV_FILE to the environment, which wins over the file. Without ENV_FILE, reads .env in the working
 * folder if there is one. Throws an OperatorError.
 */
export function loadEnvFile(env: NodeJS.ProcessEnv = process.env): void {
  loadedFile = undefined;
  environmentNames = Object.keys(env);
  const path = env.ENV_FILE || SETTINGS.envFile.default;
  const file = readEnvFile(path);
  if (file === undefined && env.ENV_FILE)
    throw new OperatorError(
      `There is no file ${path} that this user can reach. Correct ENV_FILE, or unset it.`,
    );
  if (file === undefined) return;
  const added = Object.entries(file.variables).filter(([name]) => env[name] === undefined);
  Object.assign(env, Object.fromEntries(added));
  const names = added.map(([name]) => name).filter((name) => findSetting(name) !== undefined);
  const warnings = [...warnOfTypos(Object.keys(file.variables), path), ...warnOfReaders(path, file)];
  loadedFile = { path, names, lines: file.lines, warnings };
}

/** Settings that say where the data is: without them, another store is used, and created if it is missing. */
const ADDRESSES: string[] = [SETTINGS.database.name, SETTINGS.redisUrl.name];

/** A fault for each address that is not set although the file has a name near it. */
function findMissedAddresses(env: NodeJS.ProcessEnv): string[] {
  return [...(loadedFile?.lines ?? [])].flatMap(([name, line]) => {
    const meant = findMeant(name) ?? "";
    if (!ADDRESSES.includes(meant) || env[meant]) return [];
    return `${meant} is not set, but line ${line} of ${loadedFile?.path} sets ${name}: rename it to ${meant}, or remove it`;
  });
}

/** Undefined if no file was read. */
export function getEnvFile(): LoadedFile | undefined {
  return loadedFile;
}

/** About names in the environment and in the file that are not settings, and about the file. Few commands show them. */
export function listSettingWarnings(): SettingWarning[] {
  const typos = warnOfTypos(environmentNames.filter(isTypo), "the environment");
  return [...typos, ...(loadedFile?.warnings ?? [])];
}

function isFromFile(name: string): boolean {
  return loadedFile?.names.includes(name) === true;
}

function findSetting(name: string): Setting | undefined {
  return Object.values<Setting>(SETTINGS).find((each) => each.name === name);
}

function warnOfTypos(names: string[], source: string): SettingWarning[] {
  return names.flatMap((name) => {
    const meant = findMeant(name);
    if (meant === undefined) return [];
    return [{ problem: `${name} in ${source} is not a setting`, advice: `Did you mean ${meant}?` }];
  });
}

/** Undefined for a setting, and for a name that is not near one. */
function findMeant(name: string, editsMax?: number): string | undefined {
  const known = Object.values(SETTINGS).map((setting) => setting.name);
  return findSetting(name) === undefined ? findClosestName(name, known, editsMax) : undefined;
}

/** Stricter than for the file: most variables of the environment belong to other programs. */
function isTypo(name: string): boolean {
  // Other programs have other proxies.
  const isOther = !/^[A-Z_]+$/.test(name) || name.endsWith("_PROXY");
  const meant = isOther ? undefined : findMeant(name, 1);
  if (meant === undefined) return false;
  const sorted = (text: string) => [...text].toSorted().join("");
  return meant.length >= CLEAR_LENGTH || sorted(meant) === sorted(name);
}

function warnOfReaders(path: string, { variables, isReadableByOthers }: EnvFile): SettingWarning[] {
  const secret = Object.entries(variables).find(([name, value]) => isSecret(name, value));
  if (!isReadableByOthers || secret === undefined) return [];
  return [
    {
      problem: `all users can read ${path}, which sets ${secret[0]}`,
      advice: `Run: chmod o-r ${quoteWord(path)}`,
    },
  ];
}

function isSecret(name: string, value: string): boolean {
  const hasPassword = (url: string) => Boolean(parseSentinelUrl(url)?.password ?? URL.parse(url)?.password);
  // The address of a proxy may lack its scheme.
  const urls = isProxy(name) ? [value, `http://${value}`] : [value, ...value.split(",")];
  return findSetting(name)?.isSecret === true || urls.some(hasPassword);
}

function isProxy(name: string): boolean {
  return name === SETTINGS.httpsProxy.name || name === SETTINGS.httpProxy.name;
}

interface SettingRow {
  name: string;
  /** Without secrets and passwords; undefined if unset. */
  value: string | undefined;
  source: string;
  default: string;
  description: string;
}

/** Every setting with its value and where that comes from. Throws a ConfigError. */
export function listSettings(env: NodeJS.ProcessEnv = process.env): SettingRow[] {
  const config = readConfig(env);
  return describeSettings().map((row) => {
    const setting = findSetting(row.name) as Setting;
    const text = env[row.name];
    const given = isFromFile(row.name) ? loadedFile?.path : "environment";
    const source = text ? (given as string) : "default";
    return { ...row, source, value: describeValue(config, setting, text || setting.default) };
  });
}

function describeValue(config: Config, setting: Setting, text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (setting.isSecret) return "(hidden)";
  if (setting.name === SETTINGS.redisUrl.name) return describeRedis(text);
  if (isProxy(setting.name)) return describeAddress(setting.read(text) as string);
  if (setting.name === SETTINGS.copyTarget.name)
    return describeDatabase({ database: SETTINGS.copyTarget.read(text) });
  const isPostgres = setting.name === SETTINGS.database.name && config.database.engine === "postgres";
  return isPostgres ? describeDatabase(config) : text;
}
