import type { Answer } from '../core/answer.ts';
import { errorRecord, GleitzeitError } from '../core/errors.ts';
import type { HedgePolicy } from '../core/pool/hedge.ts';
import type { Progress, Provider, ProviderCall, Report } from '../core/ports/provider.ts';
import { nobodyCame, type RouteRequest } from '../core/ports/router.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import type { CallEnd } from './connection.ts';
import { Pools } from './pools.ts';
import { answered, lots, poolOf, settingsOf } from './queue.suite.ts';
import type { PoolSettings, ProviderSettings } from './settings.ts';

const logger = { debug() {}, info() {}, warn() {}, error() {} };

export const request: RouteRequest = {
  protocol: 'a/v1',
  method: 'get',
  params: {},
  task_id: 't',
  workflow_id: null,
  avoid: [],
  called: false,
};

export type Behaviour = { readonly ms: number; readonly answer?: Answer; readonly deaf?: boolean };

/** Pools whose method `get` may be called twice, and providers that take as long as they are told. */
export class HedgeWorld {
  readonly time = new VirtualTime();
  readonly ended: CallEnd[] = [];
  readonly hedges: string[] = [];
  /** `provider call_id` of each call, in order. */
  readonly calls: string[] = [];
  readonly aborted: string[] = [];
  readonly running = new Map<string, number>();
  readonly most = new Map<string, number>();
  readonly pools: Pools;

  constructor(
    hedge: HedgePolicy | null = { after: 100, max: 1 },
    more: Partial<PoolSettings> = {},
    seed = 1,
  ) {
    this.pools = new Pools({
      clock: this.time,
      timers: this.time,
      logger,
      draw: lots(seed),
      isIdempotent: (_protocol, method) => method === 'get',
      observe: (call) => this.ended.push(call),
      hedged: (protocol, ended) => this.hedges.push(`${protocol} ${ended}`),
    });
    this.pools.onRoom(async () => nobodyCame);
    this.pools.configure('a/v1', poolOf({ select: 'round_robin', hedge, ...more }));
  }

  provider(
    id: string,
    behave: () => Behaviour,
    settings: Partial<ProviderSettings> = {},
    tells?: (report: (progress: Progress) => void) => void,
  ): void {
    const count = (by: number) => {
      const now = (this.running.get(id) ?? 0) + by;
      this.running.set(id, now);
      this.most.set(id, Math.max(this.most.get(id) ?? 0, now));
    };
    const provider: Provider = {
      id,
      protocol: 'a/v1',
      hasMethod: () => true,
      call: ({ signal, call_id, report }) => {
        const { promise, resolve } = Promise.withResolvers<Answer>();
        const { ms, answer = answered, deaf = false } = behave();
        this.calls.push(`${id} ${call_id}`);
        count(1);
        const end = (said: Answer) => {
          count(-1);
          cancel();
          signal.removeEventListener('abort', stop);
          resolve(said);
        };
        const cancel = this.time.after(ms, () => end(answer));
        const stop = () => {
          this.aborted.push(id);
          // In words of its own, as services do.
          end({ word: 'failed', error: errorRecord('GLZ2001', 'aborted') });
        };
        if (!deaf) signal.addEventListener('abort', stop);
        if (report !== undefined) tells?.(report);
        return promise;
      },
    };
    this.pools.connect(provider, { settings: settingsOf(settings) });
  }

  /** One call, as an engine makes it. */
  send(more: Partial<RouteRequest> = {}, { call_id = 't', timeout_ms = 1e6, report }: SendOptions = {}) {
    const routed = this.pools.route({ ...request, ...more });
    if (routed.word === 'wait') throw new Error(`waits for ${routed.line.kind} ${routed.line.key}`);
    const { passage } = routed;
    const controller = new AbortController();
    const { promise: late, resolve } = Promise.withResolvers<Answer>();
    const end = (reason: GleitzeitError) => {
      controller.abort(reason);
      resolve({ word: 'failed', error: reason.toRecord() });
    };
    const cancel = this.time.after(timeout_ms, () => end(new GleitzeitError('GLZ2003', 'too late')));
    const { method, params, task_id, workflow_id } = { ...request, ...more };
    const { signal } = controller;
    const call: ProviderCall = { method, params, call_id, task_id, workflow_id, attempt: 1, signal, report };
    const first = passage.provider.id;
    const over = Promise.race([passage.provider.call(call), late]).then((answer) => {
      cancel();
      passage.leave();
      passage.leave();
      return { answer, first, by: passage.provider.id };
    });
    return { over, end, id: first };
  }

  status(id: string) {
    const found = this.pools.status(id);
    if (found === null) throw new Error(`no ${id}`);
    return found;
  }
}

type SendOptions = {
  readonly call_id?: string;
  readonly timeout_ms?: number;
  readonly report?: Report;
};
