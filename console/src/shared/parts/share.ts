// The browser's own dialog that hands an address to another app.

/** Missing on pages without HTTPS, and in some browsers. */
export function canShare(): boolean {
  return navigator.share !== undefined;
}

/** False if the browser has no such dialog, or cannot open it. */
export async function shareByBrowser(data: ShareData): Promise<boolean> {
  if (!canShare()) return false;
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    // The user has closed the dialog.
    return error instanceof DOMException && error.name === "AbortError";
  }
}
