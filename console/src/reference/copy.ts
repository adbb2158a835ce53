// The Copy buttons of code.

const SHOWN_MS = 2_000;

export function startCopying(): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("button.copy") : null;
    const code = button && findCode(button);
    if (button && code) void copy(code, button);
  });
}

function findCode(button: HTMLElement): HTMLElement | undefined {
  const codes = button.closest(".code, .samples")?.querySelectorAll<HTMLElement>("pre") ?? [];
  return [...codes].find((code) => code.checkVisibility());
}

async function copy(code: HTMLElement, button: HTMLElement): Promise<void> {
  const isCopied = await copyText(code);
  button.textContent = isCopied ? "Copied" : "Selected";
  setTimeout(() => {
    button.textContent = "Copy";
  }, SHOWN_MS);
}

/** Browsers offer the clipboard to pages of https and localhost only. Elsewhere the code is selected, and copied if possible. */
async function copyText(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(code);
    return document.execCommand("copy");
  }
}
