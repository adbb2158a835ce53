// Checks of the database: reachable, sound, writable, private, of this schema.

import { inspect, NoPrimaryError } from "../../command-stores.ts";
import { type Config, describeDatabase } from "../../config/config.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";
import { COMMAND } from "../../tools/program.ts";
import { quoteWord } from "../../tools/shell-words.ts";
import { addServers, toFound } from "./database-servers.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { examineClock } from "./machine.ts";

export type StoreState = Awaited<ReturnType<typeof inspect>>;

export interface DatabaseFindings {
  findings: Finding[];
  /** Undefined if the database cannot be used. */
  state: StoreState | undefined;
}

export async function examineDatabase(config: Config, deep: boolean): Promise<DatabaseFindings> {
  try {
    const state = await inspect(config, { deep });
    return { findings: describeState(state, describeDatabase(config), deep), state };
  } catch (error) {
    return { findings: [describeFailure(error, describeDatabase(config))], state: undefined };
  }
}

function describeState(state: StoreState, name: string, deep: boolean): Finding[] {
  const { exists, engine, exposed, searchFault, schemaVersion, knownVersion, newestMs, servers } = state;
  const findings = exists
    ? [
        addServers(describeEngine(state, name, deep), servers),
        describeWrites(state),
        describePrivacy(exposed),
        searchFault && warning("search", searchFault.problem, searchFault.advice),
        examineSchema(schemaVersion, knownVersion),
        examineClock(newestMs),
      ]
    : [ok("engine", `${engine}; ${name} does not exist yet`), describeWrites(state), examineClock(0)];
  return findings.filter((each) => each !== undefined);
}

function describeEngine({ engine, damage, isServed, repair = "" }: StoreState, name: string, deep: boolean) {
  const [first] = damage;
  if (first === undefined) return ok("engine", `${engine}; ${name} ${describeUse(isServed, deep)}`);
  return fault("engine", `${name} is damaged in ${damage.length} places: ${first.split("\n")[0]}`, repair);
}

/** Undefined for a store that does not exist yet and can be created. */
function describeWrites({ exists, writeFault }: StoreState): Finding | undefined {
  if (writeFault !== undefined) return fault("writes", writeFault.problem, writeFault.advice);
  return exists ? ok("writes", "a test write succeeded and was rolled back") : undefined;
}

/** Versions before 1.0.0 left the mode of new files to the umask. */
export function describePrivacy(exposed: StoreState["exposed"] = []): Finding | undefined {
  if (exposed.length === 0) return undefined;
  const modes = exposed.map(({ file, mode }) => `${file}, mode ${mode}`).join("; ");
  const files = exposed.map(({ file }) => quoteWord(file)).join(" ");
  return warning("privacy", `other users may use ${modes}`, `Run: chmod 600 ${files}`);
}

function describeUse(isServed: boolean | undefined, deep: boolean): string {
  const depth = deep && isServed !== undefined ? "integrity checked" : "readable";
  if (isServed === undefined) return depth;
  return `${depth}, ${isServed ? "being served" : "not being served"}`;
}

function describeFailure(error: unknown, name: string): Finding {
  if (error instanceof NoPrimaryError)
    return { ...fault("engine", error.problem, error.advice), servers: error.servers.map(toFound) };
  if (error instanceof ExplainedError) return fault("engine", error.problem, error.advice);
  const cause = error instanceof ServiceError ? error.cause : error;
  const mend = `Check that ${name} is a database of this service that this user may read and write.`;
  return fault("engine", (cause as Error).message, mend);
}

function examineSchema(version: number, known: number): Finding {
  if (version === 0) return ok("schema", `the database is empty, this release has version ${known}`);
  const detail = `version ${version}, this release has ${known}`;
  if (version > known) {
    const mend = `A newer release has migrated this database. Upgrade to a release that knows schema ${version}, or restore a backup from before the migration.`;
    return fault("schema", detail, mend);
  }
  if (version < known)
    return warning("schema", detail, `The next start migrates it, or run: ${COMMAND} migrate`);
  return ok("schema", detail);
}
