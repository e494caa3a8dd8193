import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import { describeValue } from '../../files/describe.ts';
import type { EventFilter } from '../../sdk/index.ts';
import { withClient } from '../connect.ts';
import type { ExitName } from '../exits.ts';
import { untilInterrupted } from '../interrupt.ts';
import { jsonLine } from '../output/formats.ts';
import { readData } from '../read-input.ts';
import type { Invocation } from '../spec.ts';
import { valueText } from '../views/task.ts';

/** Any method of the API as it is. */
export async function api(call: Invocation): Promise<ExitName | undefined> {
  const [method = '', given] = call.arguments;
  const params = given === undefined ? undefined : await readData(call, given, 'params');
  // What is no object at all was never JSON-RPC; a list is, and the API says that it takes names.
  if (params !== undefined && !isObject(params) && (!Array.isArray(params) || call.flags.is('stream')))
    throw noParams(params);
  if (call.flags.is('stream')) return stream(call, method, params);
  if (method === 'event.subscribe') throw needsStream();
  return withClient(call, async (client) => {
    const told = await client.request(method, params);
    await call.io.emit(told, { table: () => valueText(told), names: [] });
    return undefined;
  });
}

/** Events as they come, a line each, until Ctrl-C. */
function stream(call: Invocation, method: string, params: Json | undefined): Promise<ExitName | undefined> {
  if (method !== 'event.subscribe') {
    const hint = 'event.subscribe is the only one that does';
    throw new GleitzeitError('GLZ1012', `${method} does not stream`, { field: 'stream', hint });
  }
  const filter = (isObject(params) ? params : {}) as EventFilter;
  return withClient(call, (client) =>
    untilInterrupted(async (signal) => {
      for await (const event of client.events(filter, { signal })) {
        await call.io.emitNext(event, { table: () => jsonLine(event), names: [String(event.cursor)] });
      }
      return undefined;
    }),
  );
}

function noParams(params: Json): GleitzeitError {
  return new GleitzeitError('GLZ1012', `params must be an object, found ${describeValue(params)}`, {
    field: 'params',
    hint: "write it as '{workflow_id: 0199…}'",
  });
}

function needsStream(): GleitzeitError {
  return new GleitzeitError('GLZ1012', 'event.subscribe tells more after its answer', {
    hint: 'add --stream, or use gleitzeit events -f',
  });
}
