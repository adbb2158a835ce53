// Errors whose message says what is wrong and how the operator can fix it.

export class OperatorError extends Error {}

/** With problem and advice apart, for the table that `doctor` prints. */
export class ExplainedError extends OperatorError {
  readonly problem: string;
  readonly advice: string;

  constructor(problem: string, advice: string) {
    super(`${problem}. ${advice}`);
    this.problem = problem;
    this.advice = advice;
  }
}
