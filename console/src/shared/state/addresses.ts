// Absolute addresses of the service, from the address of the script: that of the page may lack its trailing slash.

/** `path` is below the root of the service, such as `v1`; the script is one folder below that root. */
export function addressOf(path: string): string {
  return new URL(`../${path}`, import.meta.url).href;
}
