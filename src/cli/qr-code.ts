// A QR code for a terminal, two rows of it in each line.

import { encode } from "uqr";

/** As the standard demands; less is not found on a busy screen. */
const BORDER = 4;
/** White on black, whatever the colours of the terminal are: not every reader knows inverted codes. */
const COLOURS = ["\x1b[97;40m", "\x1b[0m"] as const;
/** By whether the upper and the lower module are black. Black is the background. */
const BLOCKS = { "00": "█", "01": "▀", "10": "▄", "11": " " } as const;

/** Ends without a line feed. Without colours for anything but a terminal. */
export function drawQrCode(text: string, isTerminal: boolean): string {
  const { data, size } = encode(text, { border: BORDER });
  const [begin, end] = isTerminal ? COLOURS : ["", ""];
  const isBlack = (column: number, row: number) => data[row]?.[column] === true;
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, line) => {
    const blocks = Array.from({ length: size }, (_, column) => {
      const pair = [2 * line, 2 * line + 1].map((row) => Number(isBlack(column, row))).join("");
      return BLOCKS[pair as keyof typeof BLOCKS];
    });
    return begin + blocks.join("") + end;
  });
  return lines.join("\n");
}
