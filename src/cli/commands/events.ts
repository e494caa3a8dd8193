import { eventNames } from '../../core/events.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { Client, EventFilter } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { findId } from '../find.ts';
import { badValue } from '../flags.ts';
import { untilInterrupted } from '../interrupt.ts';
import type { Invocation } from '../spec.ts';
import { eventLine, type ShownEvent } from '../views/event.ts';

/** What happened, and with `--follow` what happens next. */
export function events(call: Invocation): Promise<ExitName | undefined> {
  const { flags, io } = call;
  const [named] = call.arguments;
  const kinds = kindsOf(call);
  const from = cursorOf(call);
  const limit = flags.count('limit') ?? Number.POSITIVE_INFINITY;
  return withClient(call, async (client) => {
    const about = named === undefined ? {} : await aboutId(client, named);
    const filter = { ...about, ...(kinds.length > 0 ? { events: kinds } : {}) };
    let left = limit;
    const show = async (event: ShownEvent) => {
      await io.emitNext(event, { table: (view) => eventLine(event, view), names: [String(event.cursor)] });
      return --left > 0;
    };
    if (!flags.is('follow')) {
      await past(client, { ...filter, cursor: from ?? 0 }, show);
      return undefined;
    }
    // Of one thing its whole story is wanted, of everything what happens from now on.
    const cursor = from ?? (named === undefined ? undefined : 0);
    return untilInterrupted((signal) =>
      live(client, { filter: { ...filter, ...(cursor === undefined ? {} : { cursor }) }, signal, show }),
    );
  });
}

/** False: enough. */
type Show = (event: ShownEvent) => Promise<boolean>;

async function past(client: Client, filter: EventFilter & { cursor: number }, show: Show): Promise<void> {
  let cursor: number | null = filter.cursor;
  while (cursor !== null) {
    const page: EventPage = await client.call('event.list', { ...filter, cursor, limit: PAGE });
    for (const event of page.items) if (!(await show(event))) return;
    cursor = page.next_cursor;
  }
}

type EventPage = { readonly items: readonly ShownEvent[]; readonly next_cursor: number | null };
const PAGE = 500;

type Following = { readonly filter: EventFilter; readonly signal: AbortSignal; readonly show: Show };

async function live(client: Client, { filter, signal, show }: Following): Promise<undefined> {
  for await (const event of client.events(filter, { signal })) if (!(await show(event))) return;
}

async function aboutId(
  client: Client,
  named: string,
): Promise<{ workflow_id: string } | { task_id: string }> {
  const { kind, id } = await findId(client, named);
  return kind === 'run' ? { workflow_id: id } : { task_id: id };
}

function kindsOf({ flags }: Invocation) {
  const said = flags.list('type').flatMap((text) => text.split(','));
  return said.map((text) => {
    const name = eventNames.find((one) => one === text.trim());
    if (name === undefined) throw badValue('type', text, didYouMean(text, eventNames, 'types'));
    return name;
  });
}

function cursorOf({ flags }: Invocation): number | undefined {
  const said = flags.text('from');
  if (said === undefined) return undefined;
  if (/^\d{1,15}$/.test(said)) return Number(said);
  throw badValue('from', said, 'write the cursor of the last event you have seen; 0 is the beginning');
}
