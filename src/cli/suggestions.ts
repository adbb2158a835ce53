// Suggestions for a mistyped command, subcommand or option.

import { describeSettings } from "../config/config.ts";
import { findClosestName } from "../tools/close-names.ts";

/** A sentence with a space before it; empty if no known name is near. */
export function suggest(name: string, known: readonly string[]): string {
  const meant = findClosestName(name, known);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}

/** `given` as it was typed, such as --port=80, with the names of the options that the command has. Never quotes a value. */
export function describeUnknownOption(given: string, options: readonly string[]): string {
  const [typed = ""] = given.split("=");
  const variable = typed.replace(/^-+/, "").replaceAll("-", "_").toUpperCase();
  const settings = describeSettings().map(({ name }) => name);
  const refusal = `There is no option ${typed}.`;
  if (settings.includes(variable))
    return `${refusal} Settings are variables: put ${variable}=VALUE before the command, or into the file .env.`;
  return `${refusal}${suggest(
    typed,
    options.map((name) => `--${name}`),
  )}`;
}
