// The list of named categories.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { Category } from "../../../client/src/client.ts";
import { CATEGORY_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Button } from "../shared/parts/button.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Field } from "../shared/parts/field.tsx";
import { focusMain, isByKeyboard } from "../shared/parts/focus.ts";
import { Form } from "../shared/parts/form.tsx";
import { Head } from "../shared/parts/head.tsx";
import { List } from "../shared/parts/list.tsx";
import { useLiveList } from "../shared/parts/live-list.ts";
import type { MenuItem } from "../shared/parts/menu.tsx";
import { PhoneRow, phoneColumns } from "../shared/parts/phone-row.tsx";
import {
  categories,
  firstFreeNumber,
  forgetCategory,
  readCategories,
} from "../shared/state/category-names.ts";
import { changes } from "../shared/state/changes.ts";
import { deleteLater, isHidden, reveal } from "../shared/state/deletions.ts";
import { readIdentifier } from "../shared/state/identifier.ts";
import { notify } from "../shared/state/notices.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { ask } from "../shared/state/session.ts";
import { t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";

export function Categories() {
  const edited = useSignal<Category | "new" | undefined>(undefined);
  const live = useLiveList((signal, retries) => readCategories({ signal, retries }), [changes.value], {
    kinds: ["category"],
  });
  useSignalEffect(() => {
    if (live.data.value !== undefined) categories.value = live.data.value;
  });
  const loaded = { ...live, data: categories };
  const close = () => (edited.value = undefined);
  const texts = later().categories;
  const rowOf = (Row: typeof CategoryRow) => (category: Category) => (
    <Row key={String(category.id)} category={category} onRename={() => (edited.value = category)} />
  );

  return (
    <>
      <Head title={t().placeNames.categories}>
        {isAllowed("putCategory") && (
          <Button kind="primary" label={texts.add} onClick={() => (edited.value = "new")} />
        )}
      </Head>
      <p class="quiet">{texts.about}</p>
      <List
        loaded={loaded}
        label={t().placeNames.categories}
        columns={[texts.number, t().common.name, t().common.actions]}
        filter={({ id }) => !isHidden(`category:${id}`)}
        empty={<NoCategories onAdd={() => (edited.value = "new")} />}
        row={rowOf(CategoryRow)}
        phone={{
          columns: phoneColumns({
            name: t().common.name,
            state: t().keys.state,
            kind: texts.number,
            actions: t().common.actions,
          }),
          row: rowOf(PhoneCategoryRow),
        }}
      />
      {edited.value !== undefined && (
        <CategoryForm
          category={edited.value === "new" ? undefined : edited.value}
          known={categories.value?.items ?? []}
          onClose={close}
          onDone={() => {
            close();
            return loaded.reload();
          }}
        />
      )}
    </>
  );
}

interface CategoryRowProps {
  category: Category;
  onRename: () => void;
}

function CategoryRow({ category, onRename }: CategoryRowProps) {
  const texts = later().categories;
  return (
    <tr>
      <td class="number">{String(category.id)}</td>
      <th scope="row">
        <bdi>{category.name}</bdi>
      </th>
      <td class="actions">
        {isAllowed("putCategory") && (
          <Button label={texts.rename} name={texts.renameOne(category.name)} onClick={onRename} />
        )}
        {isAllowed("deleteCategory") && (
          <Button
            label={t().common.delete}
            name={t().common.deleteOne(category.name)}
            onClick={(event) => remove(category, isByKeyboard(event))}
          />
        )}
      </td>
    </tr>
  );
}

function PhoneCategoryRow({ category, onRename }: CategoryRowProps) {
  const { id, name } = category;
  const items: MenuItem[] = [
    ...(isAllowed("putCategory") ? [{ label: later().categories.rename, onChoose: onRename }] : []),
    ...(isAllowed("deleteCategory")
      ? [
          {
            label: t().common.delete,
            kind: "danger",
            onChoose: (event: MouseEvent) => remove(category, isByKeyboard(event)),
          },
        ]
      : []),
  ];
  return (
    <PhoneRow
      name={<bdi>{name}</bdi>}
      facts={[t().common.numbered(String(id))]}
      menu={{ name: t().animals.actionsFor(name), items }}
    />
  );
}

function remove({ id, name: label }: Category, isByKeyboard: boolean): void {
  const key = `category:${id}`;
  const run = async () => {
    await ask((client) => client.deleteCategory(id));
    // The number can get a new name, which must not stay hidden.
    forgetCategory(id);
    reveal(key);
  };
  deleteLater({ key, label, run, isByKeyboard });
  if (!isByKeyboard) focusMain();
}

function NoCategories({ onAdd }: { onAdd: () => void }) {
  const texts = later().categories;
  if (!isAllowed("putCategory")) return <p>{texts.emptyForReaders}</p>;
  return (
    <>
      <p>
        <strong>{texts.empty}</strong>
        <br />
        {texts.firstStep}
      </p>
      <Button kind="primary" label={texts.addFirst} onClick={onAdd} />
    </>
  );
}

interface CategoryFormProps {
  category: Category | undefined;
  known: Category[];
  onClose: () => void;
  onDone: () => Promise<void>;
}

function CategoryForm({ category, known, onClose, onDone }: CategoryFormProps) {
  const texts = later().categories;

  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const id = category?.id ?? readIdentifier(String(fields.get("id")));
    const isTaken = category === undefined && known.some((each) => String(each.id) === String(id));
    if (isTaken) throw new Error(texts.taken(String(id)));
    const naming = { name: String(fields.get("name")) };
    const { name } = await ask((client) => client.putCategory(id, naming, { signal }));
    notify(texts.named(String(id), name));
    await onDone();
  }

  return (
    <Dialog title={category === undefined ? texts.add : texts.renameTitle(category.name)} onClose={onClose}>
      <Form action={t().form.save} onSubmit={submit} onCancel={onClose}>
        {category === undefined && (
          <Field
            label={texts.number}
            name="id"
            required
            inputMode="numeric"
            pattern="-?[0-9]+"
            defaultValue={String(firstFreeNumber(known))}
            hint={texts.numberHint}
            missing={t().common.enterNumber}
            wrong={t().common.enterNumber}
          />
        )}
        <Field
          label={t().common.name}
          missing={t().common.enterName}
          name="name"
          required
          maxLength={CATEGORY_NAME_MAX}
          defaultValue={category?.name ?? ""}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
