import type { Method } from '../../api/method.ts';
import { methods, type ParamsOf } from '../../api/methods.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { CalledRequest } from '../../rpc/listener/route.ts';
import { paramsReaders } from '../params.ts';
import { listOf, present } from '../queries.ts';
import type { StreamQuery } from './stream.ts';

/** In a query everything is text: these are read before the schema of `event.subscribe` judges them. */
const own = ['ticket'];

/** What `GET /events` is asked for: the same names as in `event.subscribe`, lists separated by commas. */
export function streamQueryReader(): (
  request: Pick<CalledRequest, 'query' | 'headers' | 'signal'>,
) => StreamQuery {
  const read = paramsReaders()('event.subscribe', methods['event.subscribe'] as Method);
  return ({ query, headers, signal }) => {
    const given = new Map<string, Json>();
    for (const [key, value] of query) {
      if (own.includes(key)) continue;
      if (given.has(key)) throw invalid(key, 'stands twice in the query');
      given.set(key, readValue(key, value));
    }
    // A stream that comes back brings the newest it has seen; the address still says where it began the first time.
    const last = headers['last-event-id'];
    if (typeof last === 'string' && last !== '') given.set('cursor', wholeNumber('Last-Event-ID', last));
    const { events, task_id, workflow_id, cursor } = read(
      Object.fromEntries(given),
    ) as ParamsOf<'event.subscribe'>;
    return { ...present({ events: listOf(events), task_id, workflow_id }), cursor, signal };
  };
}

function readValue(key: string, value: string): Json {
  if (key === 'events') return value.split(',');
  return key === 'cursor' ? wholeNumber(key, value) : value;
}

function wholeNumber(field: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(field, `must be the cursor of an event, not ${JSON.stringify(text.slice(0, 40))}`);
}

function invalid(field: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason });
}
