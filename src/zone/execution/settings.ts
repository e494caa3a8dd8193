/** What a task of the other zone becomes here. */
export type Target =
  /** A workflow that was defined, with all params as its input; `reply` is the step whose result is the answer. */
  | { readonly workflow: string; readonly version?: string | undefined; readonly reply?: string | undefined }
  /** One call, with all params as its own. */
  | { readonly protocol: string; readonly method: string }
  /** One agent, which is told the text and nothing else. */
  | { readonly agent: string };

export type ExecutionSettings = {
  readonly execute: Target;
  /** How long a caller waits that does not say. */
  readonly budget_ms: number;
  /** How long a task may take altogether. */
  readonly timeout_ms: number;
  /** How long the result of a task can be asked for after it has ended. */
  readonly retention_ms: number;
};
