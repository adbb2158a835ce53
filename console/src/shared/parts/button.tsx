// A button that keeps the focus while it is off: aria-disabled instead of disabled.

interface ButtonProps {
  label: string;
  /** Screen readers read it instead of the label. */
  name?: string | undefined;
  /** Its class, such as `primary`. */
  kind?: string | undefined;
  /** Ignores clicks. */
  isOff?: boolean;
  onClick: (event: MouseEvent) => void;
}

export function Button({ label, name, kind, isOff, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class={kind}
      aria-label={name}
      aria-disabled={isOff}
      onClick={isOff ? undefined : onClick}
    >
      {label}
    </button>
  );
}
