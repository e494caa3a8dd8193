export type FindingStatus = 'ok' | 'warning' | 'problem';

/** One thing that was looked at. */
export type Finding = {
  readonly check: CheckName;
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string | null;
};

export const checkNames = [
  'node',
  'config',
  'store',
  'disk',
  'clock',
  'port',
  'providers',
  'keys',
  'broker',
  'server',
] as const;
export type CheckName = (typeof checkNames)[number];

/** The findings of one check, each made by the word for what it is. */
export function findings(check: CheckName) {
  const make =
    (status: FindingStatus) =>
    (message: string, hint: string | null = null): Finding => ({ check, status, message, hint });
  return { ok: make('ok'), warning: make('warning'), problem: make('problem') };
}
