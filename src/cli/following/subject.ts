/** What is followed: a run with its tasks, or one task. */
export type Subject =
  | { readonly kind: 'run'; readonly workflow_id: string }
  | { readonly kind: 'task'; readonly task_id: string };
