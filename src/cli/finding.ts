// One result of `doctor`: the check, its result, the details and how to fix a fault.

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
