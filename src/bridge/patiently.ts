/** What a try came to that did not work. */
export type Failed = { readonly again: boolean; readonly error: Error };

export type Patience = {
  readonly patience_ms: number;
  /** What is said where nothing came, neither good nor bad. */
  readonly silence: () => Error;
};

const PAUSE = 250;

/** Tries until it works, until another try would not help, or until the time is over. */
export async function patiently<Value>(
  { patience_ms, silence }: Patience,
  action: () => Promise<{ readonly value: Value } | Failed>,
): Promise<Value> {
  const end = performance.now() + patience_ms;
  for (;;) {
    const came = await answerOf(action(), end - performance.now());
    if (came === undefined) throw silence();
    if ('value' in came) return came.value;
    if (!came.again || performance.now() + PAUSE > end) throw came.error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

/** Undefined where none came in time. */
async function answerOf<Answer>(answer: Promise<Answer>, ms: number): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([answer, over]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => {});
  }
}
