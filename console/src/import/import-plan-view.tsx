// What an import would do, with the rows that are wrong, and the button that starts it.

import { useSignal } from "@preact/signals";
import { Button } from "../shared/parts/button.tsx";

import { formatCount } from "../shared/state/format.ts";
import { findBindingWindow } from "../shared/state/rate-now.ts";
import { t } from "../shared/texts/language.ts";
import type { Plan } from "./import-plan.ts";

/** More are counted only. */
const LINES_MAX = 200;
/** From here on, the command is the better tool. */
const MANY_ROWS = 1_000;

interface ImportPlanProps {
  fileName: string;
  plan: Plan;
  onRun: (plan: Plan) => void;
  onBack: () => void;
}

export function ImportPlan({ fileName, plan, onRun, onBack }: ImportPlanProps) {
  const texts = t().import;
  const createsCategories = useSignal(true);
  const { unchanged, newCategories, hasNameless } = plan;
  const isRefused = ({ categoryName }: Plan["steps"][number]) =>
    categoryName !== undefined && !createsCategories.value;
  const steps = plan.steps.filter((step) => !isRefused(step));
  const problems = [
    ...plan.problems,
    ...plan.steps
      .filter(isRefused)
      .map(({ line, categoryName = "" }) => ({ line, problem: texts.faults.noSuchCategory(categoryName) })),
  ].sort((one, other) => one.line - other.line);
  const count = (kind: string) => formatCount(steps.filter((step) => step.kind === kind).length);
  const requests = steps.reduce((sum, step) => sum + (step.profile === undefined ? 1 : 2), 0);
  const remaining = findBindingWindow()?.remaining ?? requests;

  return (
    <>
      <p>{texts.wouldDo(fileName)}</p>
      <ul>
        <li>{texts.wouldAdd(count("add"))}</li>
        <li>{texts.wouldChange(count("update"))}</li>
        {unchanged > 0 && <li>{texts.unchanged(formatCount(unchanged))}</li>}
        {problems.length > 0 && <li class="failure">{texts.wrong(formatCount(problems.length))}</li>}
      </ul>
      {newCategories.length > 0 && (
        <div class="checks">
          <label>
            <input
              type="checkbox"
              checked={createsCategories.value}
              onChange={({ currentTarget }) => (createsCategories.value = currentTarget.checked)}
            />
            <span>{texts.createCategories(newCategories.join(", "))}</span>
          </label>
        </div>
      )}
      {hasNameless && <p class="quiet">{texts.nameless}</p>}
      {requests > remaining && (
        <p class="quiet">{texts.willWait(formatCount(requests), formatCount(remaining))}</p>
      )}
      {plan.steps.length > MANY_ROWS && <p class="quiet">{texts.commandLine}</p>}
      {problems.length > 0 && <LineTable label={texts.problems} rows={problems} />}
      <footer>
        <Button label={texts.otherFile} onClick={onBack} />
        <Button
          kind="primary"
          label={
            problems.length === 0
              ? texts.run(formatCount(steps.length))
              : texts.runOthers(formatCount(steps.length))
          }
          isOff={steps.length === 0}
          onClick={() =>
            steps.length > 0 &&
            onRun({ ...plan, steps, newCategories: createsCategories.value ? newCategories : [] })
          }
        />
      </footer>
    </>
  );
}

interface LineTableProps {
  label: string;
  rows: Array<{ line: number; problem: string }>;
}

export function LineTable({ label, rows }: LineTableProps) {
  const texts = t().import;
  return (
    <section aria-label={label}>
      <h3>{label}</h3>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col" class="number">
              {texts.line}
            </th>
            <th scope="col">{texts.problem}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, LINES_MAX).map(({ line, problem }) => (
            <tr key={line}>
              <td class="number">{line}</td>
              <td>
                <bdi>{problem}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > LINES_MAX && <p>{t().bulk.andMore(formatCount(rows.length - LINES_MAX))}</p>}
    </section>
  );
}
