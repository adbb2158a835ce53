// One finding of `doctor`, and the time limit of a check.

export interface Finding {
  check: string;
  result: "ok" | "warning" | "fault";
  detail: string;
  /** How to fix it; empty for "ok". */
  mend: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, result: "ok", detail, mend: "" };
}

export function warning(check: string, detail: string, mend: string): Finding {
  return { check, result: "warning", detail, mend };
}

export function fault(check: string, detail: string, mend: string): Finding {
  return { check, result: "fault", detail, mend };
}

/** Resolves to `late` if `work` takes longer; `work` is then left to its own time limits. */
export async function inTime<T>(work: Promise<T>, limitMs: number, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, limitMs, late);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
