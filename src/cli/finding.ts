// One line of the doctor's table: what was checked, what was found, how to fix it.

export interface Finding {
  check: string;
  result: "ok" | "warning" | "fault";
  detail: string;
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
