// Makes foreign text safe to show on a terminal.

/** Control characters, line separators, and marks that change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Replaces them with escapes such as `\x1b` and `\u202e`. */
export function escapeControls(text: string): string {
  return text.replaceAll(UNSAFE, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, "0")}` : `\\x${code.padStart(2, "0")}`;
  });
}
