import { createWriteStream } from 'node:fs';
import { startAgent } from '../../server/agent.ts';
import { seededRandom } from '../arguments.ts';
import { pause } from '../played.ts';
import { beHelper } from './helper.ts';

export type AgentOptions = {
  readonly seed: number;
  readonly file: string;
  /** How long a call takes, from the shortest to the longest. */
  readonly takes_ms?: readonly [number, number];
};
export type AgentState = {
  readonly url: string;
  /** By the path a server calls it on. */
  readonly in_flight: Readonly<Record<string, number>>;
  /** Tasks that were executed, once or more. */
  readonly executed: number;
};

/** What the servers call. It writes down every execution, and is never killed. */
const { options, tellState } = beHelper<AgentOptions, object>({
  finish: () => new Promise((resolve) => written.end(resolve)),
});
const [shortest, longest] = options.takes_ms ?? [50, 350];
const written = createWriteStream(options.file);
const random = seededRandom(options.seed);
const inFlight = new Map<string, number>();
const executed = new Set<string>();
const count = (path: string, by: number) => inFlight.set(path, (inFlight.get(path) ?? 0) + by);

const { url } = await startAgent(async ({ call_id, path, params }) => {
  const n = Number(params['n']);
  const value = n + Number(params['before']);
  written.write(`${JSON.stringify([n, params['step'], call_id])}\n`);
  executed.add(call_id);
  count(path, 1);
  await pause(shortest + random() * (longest - shortest));
  count(path, -1);
  return { result: { value } };
});

tellState((): AgentState => ({ url, in_flight: Object.fromEntries(inFlight), executed: executed.size }));
