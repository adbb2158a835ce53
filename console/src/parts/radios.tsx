// A choice between a few words, all visible; nothing chosen is possible too.

interface RadiosProps {
  label: string;
  /** The empty value stands for "not stated". */
  choices: ReadonlyArray<[value: string, text: string]>;
  name: string;
  value: string;
  onChange: (value: string) => void;
}

export function Radios({ label, choices, name, value, onChange }: RadiosProps) {
  return (
    <fieldset class="radios">
      <legend>{label}</legend>
      {choices.map(([each, text]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
