// A row of a list on a phone: a name and a state above one or two lines of facts. All rows of a list have the same height, and each is one target.

import type { ComponentChildren } from "preact";
import { Facts } from "./facts.tsx";
import type { Column } from "./list.tsx";
import { Menu, type MenuItem } from "./menu.tsx";

interface PhoneRowProps {
  /** A link or button in it is the target of the whole row. */
  name: ComponentChildren;
  state?: ComponentChildren;
  /** Those that matter most; `others` are on the line below. */
  facts: ComponentChildren[];
  others?: ComponentChildren[];
  photo?: ComponentChildren;
  /** Present while rows are selected. */
  select?: ComponentChildren;
  isSelected?: boolean;
  /** For an entry without a page: the whole row opens it. */
  menu?: { name: string; items: MenuItem[] } | undefined;
}

export function PhoneRow(props: PhoneRowProps) {
  const { name, state, facts, others, photo, select, isSelected = false, menu } = props;
  return (
    <tr class={isSelected ? "selected" : undefined}>
      {select !== undefined && <td class="select">{select}</td>}
      {photo !== undefined && <td class="photo">{photo}</td>}
      <th scope="row">{name}</th>
      <td class="state">{state}</td>
      <td class="kind">
        <Facts facts={facts} />
      </td>
      {others !== undefined && (
        <td class="also">
          <Facts facts={others} />
        </td>
      )}
      {menu !== undefined && <td class="actions">{menu.items.length > 0 && <Menu {...menu}>⋯</Menu>}</td>}
    </tr>
  );
}

type Cell = "select" | "photo" | "name" | "state" | "kind" | "also" | "actions";

/** The headings in the order of the cells. They are only read out. */
export function phoneColumns(headings: Partial<Record<Cell, string>>): Column[] {
  return Object.entries(headings).map(([key, heading]) => ({ key, heading }));
}
