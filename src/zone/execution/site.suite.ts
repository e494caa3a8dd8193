import { createHmac, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { systemClock } from '../../embedded/system.ts';
import { type House, openHouse } from '../../server/testing/house.suite.ts';
import { hashText } from '../../store/hash.ts';
import { EXECUTE_TASK, type ExecuteTaskParams, GET_ASYNC_TASK_RESULT } from '../contract/methods.ts';
import { writeRequest } from '../contract/request.ts';
import { createEndpoint } from './endpoint.ts';
import { Execution, type ExecutionParts } from './execution.ts';
import type { ExecutionSettings } from './settings.ts';

export const TOKEN = 'xoxb-kept-out-of-sight-7f3a';

/** As the cipher of the house marks. */
export const mark = (text: string) => createHmac('sha256', 'zone').update(text).digest('base64url');

export const defaultSettings: ExecutionSettings = {
  execute: { protocol: 'test/v1', method: 'echo' },
  budget_ms: 20_000,
  timeout_ms: 60_000,
  retention_ms: 60_000,
};

export type Answered = {
  readonly id: string | null;
  readonly result?: {
    readonly status: string;
    readonly task_id?: string;
    readonly [member: string]: Json | undefined;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
};

/** An execution zone on a real engine and a real file. */
export async function openSite() {
  const house = await openHouse();
  return {
    house,
    /** Every byte of the store's files, as text. */
    stored: async () => {
      const files = (await readdir(house.folder)).map((name) => readFile(join(house.folder, name), 'latin1'));
      return (await Promise.all(files)).join('\n');
    },
    zone: (given?: Partial<ExecutionSettings>, parts?: Partial<ExecutionParts>) =>
      zoneOf(house, given, parts),
  };
}

export function zoneOf(
  house: House,
  given: Partial<ExecutionSettings> = {},
  parts: Partial<ExecutionParts> = {},
) {
  const { engine, store, faceParts } = house;
  const settings = { ...defaultSettings, ...given };
  const execution = new Execution({
    ...{ engine, reads: store.reads, definitions: faceParts.definitions, settings },
    ...{ clock: systemClock, mark, hash: hashText, ...parts },
  });
  const { logger } = faceParts;
  const endpoint = createEndpoint({ execution, logger, clock: systemClock });
  const send = async (body: string): Promise<Answered> =>
    JSON.parse(await endpoint(Buffer.from(body))) as Answered;
  return {
    endpoint,
    send,
    execute: (params: Partial<ExecuteTaskParams> = {}, id: string = randomUUID()) =>
      send(executeBody(params, id)),
    result: (task_id: string, budget_ms?: number) => send(resultBody(task_id, budget_ms)),
  };
}

export function executeBody(params: Partial<ExecuteTaskParams> = {}, id: string = randomUUID()): string {
  const all = { channel: 'C1', text: 'hello', bot_token: TOKEN, ...params };
  return writeRequest({ id, method: EXECUTE_TASK, params: all });
}

export function resultBody(task_id: string, budget_ms?: number): string {
  const params = { task_id, ...(budget_ms === undefined ? {} : { budget_ms }) };
  return writeRequest({ id: randomUUID(), method: GET_ASYNC_TASK_RESULT, params });
}

/** A clock that is ahead by so much as the test says, or stands where it says. */
export function shiftedClock(): Clock & { ahead_ms: number; stands_at: number | null } {
  return {
    ahead_ms: 0,
    stands_at: null,
    wall() {
      return this.stands_at ?? systemClock.wall() + this.ahead_ms;
    },
    monotonic: () => systemClock.monotonic(),
  };
}
