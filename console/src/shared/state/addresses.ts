// Absolute addresses of the service, from the address of the script: the page may lack its trailing slash.

/** `path` is below the root of the service, such as `v1`; the script is one folder below that root. */
export function addressOf(path: string): string {
  return new URL(`../${path}`, import.meta.url).href;
}

/** A photo is loaded from where the console is served, not from the public address that the service returns. */
export function photoAddress(url: string): string {
  return addressOf(`photos/${url.slice(url.lastIndexOf("/") + 1)}`);
}
