// A request as a curl command for POSIX shells. The script of the page uses it too, for requests of its forms.

export interface CurlRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Name of the file that is the body. */
  file?: string | undefined;
  /** The response is shown as it arrives. */
  isStream?: boolean;
}

export function writeCurl({ method, url, headers, body, file, isStream }: CurlRequest): string {
  const flags = `${isStream ? "-N " : ""}${method === "GET" ? "" : `-X ${method} `}`;
  const lines = [
    `curl ${flags}${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Raw: -d would read a file where the body begins with @.
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
    ...(file === undefined ? [] : [`--data-binary ${quote(`@${file}`)}`]),
  ];
  return lines.join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
