/** What a script can count on: how the program ends, and what that means. */
export const exits = {
  ok: { status: 0, means: 'the command did what it was asked' },
  failure: { status: 1, means: 'something else went wrong; the error says what' },
  usage: { status: 2, means: 'the command line is wrong: an unknown command, option or value' },
  unreachable: { status: 3, means: 'the server or the store cannot be reached' },
  access: { status: 4, means: 'the key is missing, unknown, or may not do this' },
  timeout: { status: 5, means: 'the time of `--timeout` ran out' },
  not_found: { status: 6, means: 'there is nothing under this id or name; also a file that is not there' },
  findings: { status: 7, means: 'a file or definition has mistakes; each is named' },
  conflict: { status: 8, means: 'it does not go with the state things are in, or somebody else holds it' },
  run_failed: { status: 10, means: 'the run or task failed' },
  run_cancelled: { status: 11, means: 'the run or task was cancelled' },
  run_waiting: { status: 12, means: 'the run or task waits for input from outside' },
  interrupted: { status: 130, means: 'interrupted, by Ctrl-C' },
} as const satisfies Record<string, { readonly status: number; readonly means: string }>;

export type ExitName = keyof typeof exits;
