// Parts of JSON that the runtime has and TypeScript's library does not yet describe.

interface JSON {
  rawJSON(text: string): object;
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { source: string }) => unknown,
  ): unknown;
}
