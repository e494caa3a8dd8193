import { type AgentAnswer, type AgentCall, startAgent } from './agent.ts';

/** A call that waits until the test answers it. */
export type HeldCall = AgentCall & { reply(answer: AgentAnswer): void };

export type HeldAgent = {
  readonly url: string;
  /** The next call that the test has not taken yet. */
  next(): Promise<HeldCall>;
  /** How many calls nobody has taken. */
  readonly untaken: number;
  close(): Promise<void>;
};

/** An agent that does nothing by itself: the test takes each call and says when it is answered, and how. */
export async function heldAgent(): Promise<HeldAgent> {
  const calls: HeldCall[] = [];
  const takers: ((call: HeldCall) => void)[] = [];
  const agent = await startAgent((call) => {
    const { promise, resolve } = Promise.withResolvers<AgentAnswer>();
    const held = { ...call, reply: resolve };
    const take = takers.shift();
    if (take === undefined) calls.push(held);
    else take(held);
    return promise;
  });
  return {
    url: agent.url,
    get untaken() {
      return calls.length;
    },
    next: () => {
      const call = calls.shift();
      return call === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(call);
    },
    close: () => agent.close(),
  };
}
