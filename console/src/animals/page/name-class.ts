// The class of an animal's name as a heading: longer names are smaller, so that they leave room for the rest.

/** In characters. */
const LONG_NAME = 24;
const ENDLESS_NAME = 80;

export function nameClass(name: string): string | undefined {
  if (name.length > ENDLESS_NAME) return "endless";
  return name.length > LONG_NAME ? "long" : undefined;
}
