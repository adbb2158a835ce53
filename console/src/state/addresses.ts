// Where the parts of the service are, seen from the script: the address of the page may lack the slash at its end.

/** Such as `v1`; the script lies one folder below the service. */
export function addressOf(path: string): string {
  return new URL(`../${path}`, import.meta.url).href;
}
