// Adapts a systemd unit of the project for the package, whose command is in /usr/local/bin.

/** A line of the unit for a clone, and the line for the package. */
const LINES: Array<[clone: RegExp, packaged: string]> = [
  [/^# Install: .*$/m, "# Install: npm install --global --prefix /usr/local ./animal-store-VERSION.tgz"],
  [/^WorkingDirectory=\/opt\/animal-store$/m, "WorkingDirectory=/var/lib/animal-store"],
  [/^ExecStart=\/opt\/animal-store\/\S+ (?:--\S+ )*src\/main\.ts/m, "ExecStart=/usr/local/bin/animal-store"],
];

export function adaptUnit(text: string, version: string): string {
  return LINES.reduce(
    (unit, [clone, packaged]) => unit.replace(clone, packaged.replace("VERSION", version)),
    text,
  );
}
