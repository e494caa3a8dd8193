/**
 * error: calls fail, or give wrong results. warning: the protocol asks for it, and Gleitzeit gets along without.
 * note: worth knowing, and nothing wrong.
 */
export type Level = 'error' | 'warning' | 'note';

export type RuleText = {
  readonly level: Level;
  /** What a right agent does. */
  readonly expected: string;
  readonly clause: string;
  readonly hint: string;
};
