import { createWriteStream } from 'node:fs';
import { Pool } from 'undici';
import { seededRandom } from '../arguments.ts';
import { pause } from '../played.ts';
import { beHelper } from './helper.ts';
import { idsOf, requestOf, type Work, workOf } from './work.ts';

export type LoaderOptions = {
  readonly seed: number;
  readonly file: string;
  readonly urls: readonly string[];
  /** So many accepted tasks may wait for the agent. */
  readonly backlog?: number;
  /** The store is killed, too: what is answered with its absence is not refused. */
  readonly patient?: boolean;
};
/**
 * `executed`: how far the agent is. `backlog`: from now on so many may wait for it. `enough`: no new work; what was not
 * answered is still sent again.
 */
export type LoaderOrder =
  | { readonly executed: number }
  | { readonly backlog: number }
  | { readonly enough: true };
export type LoaderState = {
  readonly accepted: number;
  /** It has had enough, and nothing is under way or to be sent again. */
  readonly done: boolean;
  readonly requests: {
    readonly answered: number;
    /** Ended without an answer; those with a key are sent again. */
    readonly cut: number;
    /** Sent once more although it was answered. */
    readonly asked_twice: number;
    /** Answered with an error, which none of it deserves. */
    readonly refused: number;
    /** Answered that the store is away, or the server about to stop. */
    readonly put_off: number;
  };
};

const CONNECTIONS = 8;
const WORKERS = 12;
/** Enough to keep engines busy, and soon done at the end. */
const BACKLOG = 3000;
const ASKED_TWICE = 0.02;
const TRY_AGAIN_MS = 20;

/** What sends work to the servers. It writes down every id that was answered, and is never killed. */
const { options, tellState } = beHelper<LoaderOptions, LoaderOrder>({
  ordered(order) {
    if ('executed' in order) executed = order.executed;
    else if ('backlog' in order) backlog = order.backlog;
    else enough = true;
  },
  finish: () => new Promise((resolve) => written.end(resolve)),
});
const written = createWriteStream(options.file);
const random = seededRandom(options.seed);
const pools = options.urls.map((url) => new Pool(url, { connections: CONNECTIONS }));
const unanswered: Work[] = [];
const answered = new Set<number>();
const requests = { answered: 0, cut: 0, asked_twice: 0, refused: 0, put_off: 0 };
let backlog = options.backlog ?? BACKLOG;
let executed = 0;
let accepted = 0;
let enough = false;
let underWay = 0;
let last = 0;

async function send(work: Work): Promise<void> {
  underWay++;
  try {
    if (take(work, await ask(work))) return;
    unanswered.push(work);
    await pause(TRY_AGAIN_MS);
  } catch (thrown) {
    const arrived = !isCode(thrown, 'ECONNREFUSED');
    if (arrived) requests.cut++;
    // Without a key nobody knows what became of it; nothing was promised, and it is not sent again.
    if (work.keyed || !arrived) unanswered.push(work);
    await pause(TRY_AGAIN_MS);
  } finally {
    underWay--;
  }
}

type Refusal = { readonly data?: { readonly error_code?: string } };
type Answer = { readonly result: object } | { readonly error: Refusal };

async function ask(work: Work): Promise<Answer> {
  const pool = pools[Math.floor(random() * pools.length)] as Pool;
  const { body } = await pool.request({
    path: '/rpc',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: work.n, ...requestOf(work) }),
  });
  return (await body.json()) as Answer;
}

/** False to send it again, where we want to know whether the answer stays the same. */
function take(work: Work, answer: Answer): boolean {
  if ('error' in answer && options.patient && isAway(answer.error)) {
    requests.put_off++;
    // It may have been written all the same, so without a key it is not sent again.
    return !work.keyed;
  }
  if ('error' in answer) {
    if (requests.refused++ === 0) process.stderr.write(`refused: ${JSON.stringify(answer.error)}\n`);
    return true;
  }
  const { tasks, runs } = idsOf(answer.result);
  written.write(`${JSON.stringify([work.n, tasks, runs])}\n`);
  requests.answered++;
  if (!answered.has(work.n)) accepted += tasks.length;
  answered.add(work.n);
  const again = work.keyed && random() < ASKED_TWICE;
  if (again) requests.asked_twice++;
  return !again;
}

function isAway({ data }: Refusal): boolean {
  return data?.error_code === 'GLZ3001' || data?.error_code === 'GLZ9002';
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

async function worker(): Promise<never> {
  while (true) {
    const again = unanswered.shift();
    if (again !== undefined) await send(again);
    else if (enough || accepted - executed > backlog) await pause(TRY_AGAIN_MS);
    else await send(workOf(++last));
  }
}

for (let index = 0; index < WORKERS; index++) void worker();
tellState((): LoaderState => ({ accepted, done: enough && underWay + unanswered.length === 0, requests }));
