// What commands print: tables for people, JSON for programs.

/** Whoever reads may have seen enough, as `| head` does: that ends a command, and is no failure. */
export function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, exactIntegers, 2));
}

export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? "")].map((cell) => cell.length)),
  );
  for (const row of [head, ...rows]) {
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
}

/** How many rows a store holds of what. */
export function printCounts(counts: Record<string, number>): void {
  printTable(
    ["WHAT", "ROWS"],
    Object.entries(counts).map(([word, count]) => [word, String(count)]),
  );
}

/** One thing with its properties below each other. */
export function printProperties(properties: Record<string, string>): void {
  const width = Math.max(...Object.keys(properties).map((name) => name.length));
  for (const [name, value] of Object.entries(properties)) print(`${name.padEnd(width)}  ${value}`);
}

function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}
