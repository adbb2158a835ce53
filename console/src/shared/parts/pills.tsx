// A choice between a few words as a row of buttons, one of which is pressed.

interface Pill<T> {
  value: T;
  text: string;
  count?: string | undefined;
}

interface PillsProps<T> {
  label: string;
  pills: Array<Pill<T>>;
  chosen: T;
  isUnknown?: boolean;
  onChoose: (value: T) => void;
}

export function Pills<T extends string | undefined>(props: PillsProps<T>) {
  const { label, pills, chosen, isUnknown = false, onChoose } = props;
  return (
    <fieldset class={isUnknown ? "filter unknown" : "filter"}>
      <legend class="visually-hidden">{label}</legend>
      {pills.map(({ value, text, count }) => (
        <button
          key={value ?? "all"}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
          {count !== undefined && <span class="count"> {count}</span>}
        </button>
      ))}
    </fieldset>
  );
}
