// Reads the text of a PDF file that Chromium has written: which text is on which page, and where.

import { inflateSync } from "node:zlib";

/** Text with one position, in points. */
export interface PrintedText {
  text: string;
  size: number;
  /** Distance of the baseline from the upper edge of the page. */
  y: number;
}

export interface PrintedPage {
  height: number;
  texts: PrintedText[];
}

/** Scale and offset of both axes; Chromium does not turn text. */
type Matrix = [scaleX: number, scaleY: number, x: number, y: number];
type Letters = Map<string, string>;

export function readPdf(file: Buffer): PrintedPage[] {
  const objects = readObjects(file);
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head));
  return pages.map(({ head }) => {
    const fonts = new Map<string, Letters>();
    for (const [, name, id] of head.matchAll(/\/(F\d+) (\d+) 0 R/g))
      fonts.set(String(name), readLetters(objects, String(id)));
    const [, height] = /\/MediaBox \[0 0 \S+ ([\d.]+)\]/.exec(head) ?? [];
    const contents = streamOf(objects, head, "Contents");
    return { height: Number(height), texts: readTexts(contents, fonts, Number(height)) };
  });
}

interface PdfObject {
  head: string;
  /** As it is in the file; empty for an object without a stream. */
  stream: Buffer;
}

function readObjects(file: Buffer): Map<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  const text = file.toString("latin1");
  const start = /(?:^|\n)(\d+) 0 obj\n/g;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const from = start.lastIndex;
    const head = text.slice(from, text.slice(from).search(/stream\n|endobj/) + from);
    const hasStream = text.startsWith("stream\n", from + head.length);
    const streamStart = from + head.length + "stream\n".length;
    const length = hasStream ? Number(/\/Length (\d+)/.exec(head)?.[1]) : 0;
    objects.set(String(match[1]), { head, stream: file.subarray(streamStart, streamStart + length) });
    start.lastIndex = hasStream ? streamStart + length : from + head.length;
  }
  return objects;
}

function streamOf(objects: Map<string, PdfObject>, head: string, member: string): string {
  const id = new RegExp(`/${member} (\\d+) 0 R`).exec(head)?.[1] ?? "";
  const found = objects.get(id);
  if (found === undefined) throw new Error(`This PDF has no ${member} in ${head}`);
  const isPacked = found.head.includes("/FlateDecode");
  return (isPacked ? inflateSync(found.stream) : found.stream).toString("latin1");
}

/** From the numbers of glyphs to text. */
function readLetters(objects: Map<string, PdfObject>, font: string): Letters {
  const letters: Letters = new Map();
  const table = streamOf(objects, objects.get(font)?.head ?? "", "ToUnicode");
  const [singles = "", ranges = ""] = ["bfchar", "bfrange"].map((kind) =>
    [...table.matchAll(new RegExp(`begin${kind}\\n(.*?)end${kind}`, "gs"))].map((match) => match[1]).join(""),
  );
  for (const [, glyph, text] of singles.matchAll(/<(\w{4})> <(\w+)>/g))
    letters.set(String(glyph), fromUtf16(String(text)));
  for (const [, first, last, text] of ranges.matchAll(/<(\w{4})> <(\w{4})> <(\w{4})>/g))
    for (let glyph = hex(first); glyph <= hex(last); glyph++)
      letters.set(toHex(glyph), String.fromCharCode(hex(text) + glyph - hex(first)));
  return letters;
}

function readTexts(contents: string, fonts: Map<string, Letters>, height: number): PrintedText[] {
  const texts: PrintedText[] = [];
  const saved: Matrix[] = [];
  let matrix: Matrix = [1, 1, 0, 0];
  let letters: Letters | undefined;
  let [size, baseline] = [0, 0];
  for (const line of contents.split("\n")) {
    const operands = line.split(" ");
    const numbers = operands.map(Number);
    if (line === "q") saved.push(matrix);
    else if (line === "Q") matrix = saved.pop() ?? matrix;
    else if (line.endsWith(" cm")) matrix = multiply(matrix, numbers);
    else if (line.endsWith(" Tf"))
      [letters, size] = [fonts.get(String(operands[0]).slice(1)), numbers[1] ?? 0];
    else if (line.endsWith(" Tm")) baseline = numbers[5] ?? 0;
    else if (line.endsWith(" Tj") || line.endsWith(" TJ")) {
      const glyphs = [...line.matchAll(/<(\w+)>/g)].flatMap(([, run]) => String(run).match(/.{4}/g) ?? []);
      const text = glyphs.map((glyph) => letters?.get(glyph.toUpperCase()) ?? "\u{fffd}").join("");
      const [, scaleY, , y] = matrix;
      texts.push({ text, size: Math.abs(size * scaleY), y: height - (y + scaleY * baseline) });
    }
  }
  return texts;
}

function multiply([scaleX, scaleY, x, y]: Matrix, [a = 1, , , d = 1, e = 0, f = 0]: number[]): Matrix {
  return [scaleX * a, scaleY * d, x + scaleX * e, y + scaleY * f];
}

function fromUtf16(text: string): string {
  return (text.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(hex(unit))).join("");
}

function hex(digits: string | undefined): number {
  return Number.parseInt(String(digits), 16);
}

function toHex(glyph: number): string {
  return glyph.toString(16).toUpperCase().padStart(4, "0");
}
