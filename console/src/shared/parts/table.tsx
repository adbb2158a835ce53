// A table with a row of headings.

import type { ComponentChildren } from "preact";

interface TableProps {
  label: string;
  headings: string[];
  className?: string;
  /** The rows. */
  children: ComponentChildren;
}

export function Table({ label, headings, className, children }: TableProps) {
  return (
    <table class={className} aria-label={label}>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
