// Shows that two people have changed the same thing: both values, and the choice between them.

import { useId } from "preact/hooks";
import { t } from "../texts/language.ts";
import { Radios } from "./field.tsx";
import { LongText } from "./long-text.tsx";

export type Keep = "mine" | "theirs" | "both";

export interface ConflictProps {
  label: string;
  mine: string;
  theirs: string;
  choice: Keep | undefined;
  canKeepBoth: boolean;
  onChoose: (choice: Keep) => void;
}

export function Conflict({ label, mine, theirs, choice, canKeepBoth, onChoose }: ConflictProps) {
  const name = useId();
  const texts = t().conflict;
  const offered: Keep[] = canKeepBoth ? ["mine", "theirs", "both"] : ["mine", "theirs"];
  return (
    <Radios
      label={texts.title(label)}
      name={name}
      value={choice ?? ""}
      choices={offered.map((each) => [each, texts.keep[each]])}
      onChange={(value) => onChoose(value as Keep)}
      className={choice === undefined ? "conflict open" : "conflict"}
    >
      <dl>
        <div>
          <dt>{texts.mine}</dt>
          <dd>
            <LongText text={mine} other={theirs} />
          </dd>
        </div>
        <div>
          <dt>{texts.theirs}</dt>
          <dd>
            <LongText text={theirs} other={mine} />
          </dd>
        </div>
      </dl>
    </Radios>
  );
}
