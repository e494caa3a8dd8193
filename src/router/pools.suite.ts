import type { Answer } from '../core/answer.ts';
import type { Happening } from '../core/events.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import { VirtualTime } from '../engine/testing/virtual-time.suite.ts';
import { lineLogger } from '../telemetry/logger.ts';
import { Pools } from './pools.ts';

export const done: Answer = { word: 'done', result: '1' };

/** A provider whose calls are answered when the test says so. */
export function heldProvider(id: string, protocol = 'a/v1') {
  const waiting: ((answer: Answer) => void)[] = [];
  let closed = 0;
  const provider: Provider = {
    id,
    protocol,
    hasMethod: () => true,
    call: () => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.push(resolve);
      return promise;
    },
    close: async () => void closed++,
  };
  const answer = (given: Answer = done) => waiting.shift()?.(given);
  return { provider, answer, closed: () => closed };
}

export function setUp({ draw }: { draw?: () => number } = {}) {
  const time = new VirtualTime();
  const happened: Happening[] = [];
  const ended: string[] = [];
  const lines: string[] = [];
  const pools = new Pools({
    clock: time,
    timers: time,
    draw,
    logger: lineLogger(
      'warn',
      (line) => lines.push(line),
      () => new Date(0),
    ),
    announce: (happening) => happened.push(happening),
    observe: ({ provider, outcome, ms }) => ended.push(`${provider} ${outcome} ${ms}`),
  });
  /** A place at whoever is chosen, and the way to make the call. */
  const route = (method = 'echo', protocol = 'a/v1') => {
    const request = {
      protocol,
      method,
      params: {},
      task_id: 't',
      workflow_id: null,
      avoid: [],
      called: false,
    };
    const routed = pools.route(request);
    if (routed.word === 'wait') throw new Error('nobody waits here');
    const { passage } = routed;
    const call: ProviderCall = {
      method,
      params: {},
      call_id: 'c',
      task_id: 't',
      workflow_id: null,
      attempt: 1,
      signal: new AbortController().signal,
    };
    return { passage, call: () => passage.provider.call(call) };
  };
  const send = (method = 'echo', protocol = 'a/v1') => {
    const { passage, call } = route(method, protocol);
    return { id: passage.provider.id, answer: call() };
  };
  return { time, pools, happened, ended, lines, route, send };
}
