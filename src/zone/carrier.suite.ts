import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../rpc/listener/route.ts';
import { type Carrier, CarrierError, type Endpoint } from './carrier.ts';
import { zoneError } from './contract/errors.ts';
import { EXECUTE_TASK } from './contract/methods.ts';
import { readRequest, writeRequest } from './contract/request.ts';
import { readResponse, writeError, writeResult } from './contract/response.ts';

export type CarrierSite = {
  readonly carrier: Carrier;
  /** Another one to the same endpoint, for tests that close it. */
  open(options?: { readonly max_bytes?: number }): Carrier;
  close(): Promise<void>;
};

export type CarrierServed = {
  /** Who everybody is to the serving side; unless given somebody who may do everything. */
  readonly caller?: Caller;
  /** Bytes of a request that the serving side reads. */
  readonly max_bytes?: number;
};

export type CarrierSetUp = {
  readonly name: string;
  /** Serves the endpoint, and gives what reaches it. */
  start(endpoint: Endpoint, served?: CarrierServed): Promise<CarrierSite>;
};

const never = new AbortController().signal;
const LARGE = 1024 * 1024;
const MOST = 64 * 1024;

/** Echoes texts, each id once; those that say so are held until the test lets them go. */
export class SuiteEndpoint {
  readonly bodies: string[] = [];
  readonly #known = new Map<string, { readonly text: string; readonly answer: Promise<string> }>();
  #arrived = Promise.withResolvers<void>();
  readonly #held = new Set<() => void>();

  readonly endpoint: Endpoint = async (body) => {
    const text = Buffer.from(body).toString('utf8');
    this.bodies.push(text);
    const read = readRequest(body);
    if ('refusal' in read) return writeError(read.refusal);
    const { request } = read;
    if (request.method !== EXECUTE_TASK)
      return writeError({ id: request.id, error: zoneError('unknown_task') });
    const { id, params } = request;
    const known = this.#known.get(id) ?? { text: params.text, answer: this.#answer(id, params.text) };
    this.#known.set(id, known);
    return known.text === params.text ? known.answer : writeError({ id, error: zoneError('conflict') });
  };

  async #answer(id: string, text: string): Promise<string> {
    if (text === 'hold') {
      const released = Promise.withResolvers<void>();
      this.#held.add(released.resolve);
      this.#arrived.resolve();
      await released.promise;
    }
    return writeResult(id, { status: 'success', response_text: text });
  }

  /** Resolves when a held request is there. */
  async arrived(): Promise<void> {
    await this.#arrived.promise;
    this.#arrived = Promise.withResolvers();
  }

  release(): void {
    for (const let_go of this.#held) let_go();
    this.#held.clear();
  }
}

function request(text: string, id: string = randomUUID()) {
  const params = { channel: 'C1', text, bot_token: 'xoxb-suite' };
  return { id, method: EXECUTE_TASK, body: writeRequest({ id, method: EXECUTE_TASK, params }) } as const;
}

async function troubleOf(sent: Promise<string>): Promise<CarrierError> {
  const thrown = await sent.then(
    () => new Error('it came through'),
    (error: unknown) => error,
  );
  if (thrown instanceof CarrierError) return thrown;
  throw thrown;
}

/** What every carrier must do, whatever it carries by. */
export function carrierSuite({ name, start }: CarrierSetUp): void {
  describe(`the carrier ${name}`, () => {
    const peer = new SuiteEndpoint();
    let site: CarrierSite;
    beforeAll(async () => {
      site = await start(peer.endpoint);
    });
    afterAll(async () => {
      peer.release();
      await site.close();
    });
    const answered = async (text: string, carrier = site.carrier) => {
      const asked = request(text);
      return readResponse(await carrier.send(asked.body, { signal: never }), asked);
    };

    it('has a name, and brings the body there and the response back as they are', async () => {
      expect(site.carrier.name).toBe(name);
      const text = 'grüße, 世界 🌍 \u2028 "quoted" \\ ${input.x}';
      expect(await answered(text)).toEqual({ result: { status: 'success', response_text: text } });
      expect(JSON.parse(peer.bodies.at(-1) ?? '')).toMatchObject({ method: EXECUTE_TASK, params: { text } });
    });

    it('carries what is large, both ways', async () => {
      expect(await answered('x'.repeat(LARGE))).toMatchObject({ result: { status: 'success' } });
    });

    it('carries many at once, and mixes none of them up', async () => {
      const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
      const all = await Promise.all(texts.map((text) => answered(text)));
      expect(all).toEqual(texts.map((text) => ({ result: { status: 'success', response_text: text } })));
    });

    it.each([
      ['no JSON', '{"jsonrpc":', -32700],
      ['a batch', '[]', -32600],
      ['a notification', '{"jsonrpc":"2.0","method":"execute_task"}', -32600],
    ])('brings the response to what has no id: %s', async (_, body, code) => {
      const response = JSON.parse(await site.carrier.send(body, { signal: never }));
      expect(response).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    });

    it('does not let what has no id stand in the way of others', async () => {
      const broken = Array.from({ length: 5 }, () => site.carrier.send('[', { signal: never }));
      expect(await answered('beside')).toHaveProperty('result');
      for (const body of await Promise.all(broken)) expect(JSON.parse(body).error.code).toBe(-32700);
    });

    it('sends nothing for a signal that has aborted', async () => {
      const before = peer.bodies.length;
      const error = await troubleOf(site.carrier.send(request('no').body, { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ trouble: 'aborted', arrived: 'no' });
      expect(peer.bodies.length).toBe(before);
    });

    it('lets go of a request that was given up, which may have arrived, and goes on with others', async () => {
      const giving = new AbortController();
      const sent = troubleOf(site.carrier.send(request('hold').body, { signal: giving.signal }));
      await peer.arrived();
      giving.abort();
      expect(await sent).toMatchObject({ trouble: 'aborted', arrived: 'maybe' });
      expect(await answered('after')).toHaveProperty('result');
      peer.release();
    });

    it('brings the response to everybody who sends the same request at once', async () => {
      const asked = request('hold');
      const send = () => site.carrier.send(asked.body, { signal: never });
      const first = send();
      await peer.arrived();
      const others = [send(), send()];
      expect(await answered('beside them')).toHaveProperty('result');
      peer.release();
      for (const body of await Promise.all([first, ...others]))
        expect(readResponse(body, asked)).toEqual({ result: { status: 'success', response_text: 'hold' } });
    });

    it('lets one of them go without the others', async () => {
      const asked = request('hold');
      const giving = [new AbortController(), new AbortController()];
      const [first, second] = giving.map(({ signal }) =>
        troubleOf(site.carrier.send(asked.body, { signal })),
      );
      await peer.arrived();
      const third = site.carrier.send(asked.body, { signal: never });
      for (const one of giving) one.abort();
      expect(await first).toMatchObject({ trouble: 'aborted', arrived: 'maybe' });
      await second;
      peer.release();
      expect(readResponse(await third, asked)).toHaveProperty('result');
    });

    it('brings each its own response where one id stands on two requests at once', async () => {
      const asked = request('hold');
      const first = site.carrier.send(asked.body, { signal: never });
      await peer.arrived();
      const second = site.carrier.send(request('another', asked.id).body, { signal: never });
      peer.release();
      expect(readResponse(await first, asked)).toHaveProperty('result.response_text', 'hold');
      expect(readResponse(await second, asked)).toEqual({ error: zoneError('conflict') });
    });

    it('refuses what is larger than it carries before it sends anything', async () => {
      const before = peer.bodies.length;
      const small = site.open({ max_bytes: MOST });
      const error = await troubleOf(small.send(request('ü'.repeat(MOST)).body, { signal: never }));
      expect(error).toMatchObject({ trouble: 'too_large', arrived: 'no' });
      expect(error.message).not.toContain('xoxb-suite');
      expect(peer.bodies.length).toBe(before);
      await small.close();
    });

    it('rejects what is under way when it is closed, and everything after', async () => {
      const carrier = site.open();
      const asked = request('hold');
      const send = (body: string) => troubleOf(carrier.send(body, { signal: never }));
      const sent = send(asked.body);
      await peer.arrived();
      const again = send(asked.body);
      await Promise.all([carrier.close(), carrier.close()]);
      expect(await sent).toMatchObject({ trouble: 'closed', arrived: 'maybe' });
      await again;
      const late = await troubleOf(carrier.send(request('late').body, { signal: never }));
      expect(late).toMatchObject({ trouble: 'closed', arrived: 'no' });
      peer.release();
    });
  });
}
