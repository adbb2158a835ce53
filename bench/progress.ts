// Progress on standard error: one line that is overwritten on a terminal, otherwise one line per step.

const { stderr } = process;
const startMs = Date.now();

export function showProgress(text: string): void {
  const seconds = Math.round((Date.now() - startMs) / 1000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const line = `${time}  ${text}`;
  if (!stderr.isTTY) stderr.write(`${line}\n`);
  else stderr.write(`\r\x1b[K${line.slice(0, stderr.columns - 1)}`);
}

export function endProgress(): void {
  if (stderr.isTTY) stderr.write("\r\x1b[K");
}
