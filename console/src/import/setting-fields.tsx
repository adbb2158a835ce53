// How a file is read: what each column contains, the order of dates, the currency and the category.

import type { ImportColumn, ImportProblem, ImportSettings } from "../../../client/src/client.ts";
import { DELIMITERS } from "../../../src/transfer/formats/csv-text.ts";
import { ENCODING_NAMES } from "../../../src/transfer/formats/encodings.ts";
import { Choice, Select } from "../shared/parts/field.tsx";
import { Table } from "../shared/parts/table.tsx";
import { categories } from "../shared/state/category-names.ts";
import { listCurrencies } from "../shared/state/format.ts";
import { findIdentifier } from "../shared/state/identifier.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { later } from "../shared/texts/pages.ts";
import { translate } from "./service-words.ts";
import { memberChoices } from "./settings.ts";

interface ColumnsProps {
  columns: ImportColumn[];
  members: Array<string | null>;
  onChange: (members: Array<string | null>) => void;
}

export function Columns({ columns, members, onChange }: ColumnsProps) {
  const texts = later().import;
  return (
    <section aria-labelledby="columns">
      <h3 id="columns">{texts.columns}</h3>
      {members.includes("name") ? (
        <p class="quiet">{texts.columnsHint}</p>
      ) : (
        <p class="failure">{texts.noName}</p>
      )}
      <Table label={texts.columns} headings={[texts.heading, texts.samples, texts.contains, texts.readAs]}>
        {columns.map((column, index) => (
          <tr key={`${index} ${column.heading}`}>
            <th scope="row">
              <bdi>{column.heading}</bdi>
            </th>
            <td data-label={texts.samples} class="whole">
              <bdi>{column.samples.join(" · ")}</bdi>
            </td>
            <td data-label={texts.contains}>
              <Select
                aria-label={texts.containsOf(column.heading)}
                choices={memberChoices(column, index)}
                value={members[index] ?? ""}
                onChange={({ currentTarget: { value } }) => onChange(members.with(index, value || null))}
              />
            </td>
            <td data-label={texts.readAs}>
              {members[index] === column.member ? translate(column.readAs) : texts.afterCheck}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

interface ReadingFieldsProps {
  settings: ImportSettings;
  problems: ImportProblem[];
  onChange: (changes: ImportSettings) => void;
}

export function ReadingFields({ settings, problems, onChange }: ReadingFieldsProps) {
  const texts = later().import;
  const names = (categories.value?.items ?? []).map(({ id, name }) => [String(id), name] as const);
  /** Problems that a setting solves name it. */
  const needs = (setting: keyof ImportSettings) =>
    problems.some(({ message }) => message.includes(`Set ${setting} `));
  return (
    <section aria-labelledby="reading">
      <h3 id="reading">{texts.reading}</h3>
      <div class="pair">
        <Choice
          label={texts.dateOrder}
          hint={needs("dateOrder") && <span class="failure">{texts.dateOrderNeeded}</span>}
          choices={Object.entries(texts.dateOrders)}
          value={settings.dateOrder}
          onChange={({ currentTarget: { value } }) => onChange({ dateOrder: value as "auto" })}
        />
        <Choice
          label={texts.currency}
          hint={needs("currency") && <span class="failure">{texts.currencyNeeded}</span>}
          choices={[["", texts.none], ...listCurrencies()]}
          value={settings.currency ?? ""}
          onChange={({ currentTarget: { value } }) => onChange({ currency: value || undefined })}
        />
        <Choice
          label={texts.category}
          choices={[["", texts.none], ...names]}
          value={String(settings.categoryId ?? "")}
          onChange={({ currentTarget: { value } }) => onChange({ categoryId: findIdentifier(value) })}
        />
        {isAllowed("putCategory") && (
          <label class="check">
            <input
              type="checkbox"
              checked={settings.createCategories}
              onChange={({ currentTarget: { checked } }) => onChange({ createCategories: checked })}
            />
            {texts.createCategories}
          </label>
        )}
        <Choice
          label={texts.encoding}
          choices={[["auto", texts.auto], ...Object.entries(ENCODING_NAMES)]}
          value={settings.encoding}
          onChange={({ currentTarget: { value } }) => onChange({ encoding: value })}
        />
        <Choice
          label={texts.delimiter}
          choices={[["auto", texts.auto], ...Object.keys(DELIMITERS).map((each) => [each, each] as const)]}
          value={settings.delimiter}
          onChange={({ currentTarget: { value } }) => onChange({ delimiter: value })}
        />
      </div>
    </section>
  );
}
