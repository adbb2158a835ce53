// Reads headers in which a client weighs alternatives: Accept, Accept-Encoding and Accept-Language (RFC 9110, 12.4.2).

const QUALITY = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/** The quality of each alternative in lower case, without parameters. Entries with an invalid quality are ignored. */
export function readQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const entry of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim());
    const given = parameters.find((parameter) => parameter.startsWith("q="));
    const [, quality] = QUALITY.exec(given ?? "q=1") ?? [];
    if (name !== "" && quality !== undefined) qualities.set(name, Number(quality));
  }
  return qualities;
}
