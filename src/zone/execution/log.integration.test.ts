import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { openSite, TOKEN } from './site.suite.ts';

let site: Awaited<ReturnType<typeof openSite>>;
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.house.close());
beforeEach(() => void site.house.log.splice(0));

/** The lines of the log that are about one request. */
const lines = (id: string | null) =>
  site.house.log.filter((line) => JSON.stringify(line).includes(String(id)));

function send(method: string, params: JsonObject) {
  return site.zone().send(JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params }));
}

describe('the log', () => {
  it('says of a request that was refused what was wrong with it, and by what the other zone knows it', async () => {
    const { id } = await send('execute_task', { channel: 'C1', text: 'x', correlation_id: 'c-1' });
    expect(lines(id)).toMatchObject([
      { fields: { id, code: -32602, field: 'bot_token', reason: 'is missing', correlation_id: 'c-1' } },
    ]);
  });

  it('and the answer hold no token, whatever method is asked for', async () => {
    const sly = { bot_token: TOKEN, correlation_id: `for ${TOKEN}`, task_id: `zone-${TOKEN}` };
    for (const method of ['ping', 'execute_task', 'get_async_task_result']) {
      const answer = await send(method, sly);
      expect(JSON.stringify([answer, lines(answer.id)])).not.toContain(TOKEN);
      expect(lines(answer.id)).toMatchObject([{ fields: { correlation_id: 'for [secret]' } }]);
      expect(answer).toMatchObject({ error: { data: { correlation_id: 'for [secret]' } } });
    }
  });

  it('says why a task failed, which the answer does not', async () => {
    const zone = site.zone({ execute: { protocol: 'test/v1', method: 'refuse' } });
    const failed = await zone.execute();
    expect(failed.error).toEqual({
      code: -32004,
      message: 'Task failed',
      data: { task_id: expect.any(String) },
    });
    const why = { code: -32004, error_code: 'GLZ2010', error: 'I do not want to' };
    expect(lines(failed.id)).toMatchObject([{ level: 'warn', fields: why }]);
    const asked = await zone.result(Object(failed.error?.data).task_id);
    expect(lines(asked.id)).toMatchObject([{ fields: why }]);
  });

  it('keeps the token out of what went wrong inside', async () => {
    const refused = new Error(`no place for ${TOKEN}`);
    const engine = Object.create(site.house.engine) as typeof site.house.engine;
    engine.submit = () => Promise.reject(refused);
    const { id, error } = await site.zone({}, { engine }).execute();
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
    expect(lines(id)).toMatchObject([{ level: 'warn', fields: { error: 'no place for [secret]' } }]);
  });
});

it('a param that no store can keep is named', async () => {
  const { error } = await site.zone().execute({ x: { $sealed: 'abc', more: 1 } });
  expect(error).toMatchObject({
    code: -32602,
    data: { field: 'params', reason: '"$sealed" is not allowed as a key' },
  });
});
