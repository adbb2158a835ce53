// Reads the settings of an import from its query.

import type { ImportSettings as Settings } from "../../domain/animals/animal-import.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { IMPORT_SETTINGS_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { showText } from "../../tools/shown-text.ts";
import { ImportSettings } from "../schemas/imports.ts";
import type { Schema } from "../schemas/keywords.ts";
import { parseJson } from "./body.ts";
import { readMembers } from "./validation.ts";

const SCHEMA = ImportSettings as Schema;
const NAMES = Object.keys(SCHEMA.properties ?? {});
const NOT_JSON = `settings must be a JSON object of at most ${IMPORT_SETTINGS_BYTES_MAX / 1024} KiB`;
const DEFAULTS: Settings = {
  map: {},
  dateOrder: "auto",
  createCategories: false,
  encoding: "auto",
  delimiter: "auto",
  skipBad: false,
};

const readKnown = readMembers(SCHEMA);

/** `charset` is the encoding where the settings have none. Throws `invalid_parameter` with every fault. */
export function readImportSettings(text: string | undefined, charset: string | undefined): Settings {
  const given = text === undefined ? {} : parseObject(text);
  const unknown = Object.keys(given).filter((name) => !NAMES.includes(name));
  const { value, faults } = readKnown(given);
  faults.push(...unknown.map((name) => `${showText(name)} is no setting: they are ${NAMES.join(", ")}`));
  if (faults.length > 0) throw invalid(faults.map((fault) => `settings: ${fault}`).join("; "));
  return { ...DEFAULTS, ...(charset !== undefined && { encoding: findEncoding(charset) }), ...value };
}

/** By any of its labels, such as `latin1`. An unknown label is refused as the encoding. */
function findEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return label;
  }
}

function parseObject(text: string): object {
  if (Buffer.byteLength(text) > IMPORT_SETTINGS_BYTES_MAX) throw invalid(NOT_JSON);
  try {
    const value = parseJson(Buffer.from(text));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw invalid(NOT_JSON, cause);
  }
  throw invalid(NOT_JSON);
}

function invalid(message: string, cause?: unknown): ServiceError {
  return new ServiceError("invalid_parameter", { message, cause });
}
