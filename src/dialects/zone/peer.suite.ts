import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../../core/json.ts';
import { listen, readRequest } from '../rest/peer.suite.ts';
import { type Act, actOverHttp, BUSY_MS, createActor } from '../testing/actor.suite.ts';

type Request = { readonly id: string; readonly method: string; readonly params: JsonObject };

/** A zone as somebody would write it by hand, without anything of ours, for the contract suite. */
export function startActing() {
  const play = createActor();
  return listen(async (request, response) => {
    const { headers, body } = await readRequest(request);
    const { id, method, params } = JSON.parse(body) as Request;
    if (method === 'get_async_task_result') return say(response, id, unknownTask);
    reply(response, id, await play({ id, method, headers: headers as JsonObject }, params));
  });
}

const json = { 'content-type': 'application/json' };
const unknownTask = { error: { code: -32002, message: 'Unknown task' } };

function say(response: ServerResponse, id: string, answer: Readonly<Record<string, Json>>): void {
  response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}

function reply(response: ServerResponse, id: string, act: Act): void {
  if (act.act === 'silence' || actOverHttp(response, act)) return;
  if (act.act === 'cut') response.destroy();
  else if (act.act === 'garbage') response.writeHead(200, json).end('{"jsonrpc":');
  else if (act.act === 'busy')
    response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end('slow down');
  else if (act.act === 'error')
    say(response, id, { error: { code: act.how === 'final' ? -32004 : -32603, message: act.message } });
  else if (act.act === 'result')
    say(response, id, { result: { status: 'success', response_text: '', value: act.value } });
}

/** An answer that is none of the contract. */
export type Page = { readonly status: number; readonly body: string };

/** An error by its code, a page, or that the task is not done yet. */
export type Instead = number | Page | 'pending';

/** What the zone below was asked, and what it makes of tasks. */
export type PatientZone = {
  readonly url: string;
  /** Requests in the order they came. */
  readonly asked: readonly Request[];
  /** From now on the task is done. */
  finish(): void;
  /** Cuts off so many of the next requests, after it has heard them. */
  cut(requests: number): void;
  /** What the next requests are answered with instead, after it has heard them; errors by their codes. */
  instead(...answers: readonly Instead[]): void;
  /** The same for the next questions after a task. */
  later(...answers: readonly Instead[]): void;
  stop(): Promise<void>;
};

/** Accepts every task, runs an id once, and answers `pending` until the test says so. */
export async function startPatient(): Promise<PatientZone> {
  const asked: Request[] = [];
  let done = false;
  let cuts = 0;
  const others: Instead[] = [];
  const afterwards: Instead[] = [];
  const { url, stop } = await listen(async (request, response) => {
    const { id, method, params } = JSON.parse((await readRequest(request)).body) as Request;
    asked.push({ id, method, params });
    if (cuts > 0) {
      cuts--;
      response.destroy();
      return;
    }
    const begins = method === 'execute_task';
    const other = others.shift() ?? (begins ? undefined : afterwards.shift());
    if (typeof other === 'number') return say(response, id, { error: { code: other, message: 'so it is' } });
    if (typeof other === 'object') {
      response.writeHead(other.status, json).end(other.body);
      return;
    }
    const task_id = begins ? `task-of-${id}` : String(params['task_id']);
    const pending = { status: begins ? 'accepted' : 'pending', task_id };
    const success = { status: 'success', response_text: `done: ${task_id}` };
    const result = done && !begins && other !== 'pending' ? success : pending;
    say(response, id, { result });
  });
  return {
    url,
    asked,
    finish: () => {
      done = true;
    },
    cut: (requests) => {
      cuts = requests;
    },
    instead: (...answers) => void others.push(...answers),
    later: (...answers) => void afterwards.push(...answers),
    stop,
  };
}
