import type { CardNews } from './card.ts';
import { call, type Line } from './line.ts';

const METHOD_NOT_FOUND = -32601;
const NO_PUSH = -32003;
const UNSUPPORTED = -32004;
const NO_EXTENDED_CARD = -32007;

/** Whether what the card promises is there. Nothing is worked on, and nobody is called back. */
export async function lookAtPromises(
  line: Line,
  { pushes, extended }: Pick<CardNews, 'pushes' | 'extended'>,
) {
  const { wire, run } = line;
  const id = `no-such-task-${run}`;
  if (pushes)
    await ask(line, {
      ...{ method: wire.push, params: wire.version === '0.3' ? { id } : { taskId: id, id: 'none' } },
      ...{ without: [METHOD_NOT_FOUND, NO_PUSH, UNSUPPORTED] },
      message: 'Its card says that it calls back, and it does not.',
    });
  if (extended)
    await ask(line, {
      ...{ method: wire.extended, params: {} },
      ...{ without: [METHOD_NOT_FOUND, UNSUPPORTED, NO_EXTENDED_CARD] },
      message: 'Its card says that there is a longer one, and there is not.',
    });
}

type Promised = {
  readonly method: string;
  readonly params: { readonly id?: string; readonly taskId?: string };
  /** Errors of those who do not have it. */
  readonly without: readonly number[];
  readonly message: string;
};

async function ask(line: Line, { method, params, without, message }: Promised): Promise<void> {
  const { answer, heard } = await call(line, { method, params });
  if (answer?.kind === 'error' && without.includes(Number(answer.code)))
    line.notice('card-promises', message, heard);
}
