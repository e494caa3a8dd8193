import type { Progress, ProgressEvent, TaskProgress } from './model.ts';

/** One way to show how a run goes on, on stderr. */
export type Shower = {
  /** After each event: what it was, and the task that it changed. */
  took(event: ProgressEvent, task: TaskProgress | null): void;
  /** Something became known of a task that no event tells. */
  noted(task: TaskProgress): void;
  /** A line from elsewhere, such as the log. */
  say(text: string): void;
  /** Nothing more comes; what was shown last stays. */
  end(): void;
};

export type ShowerParts = {
  readonly progress: Progress;
  readonly write: (text: string) => void;
  readonly now: () => number;
};
