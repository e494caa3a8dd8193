import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { parseProtocol } from '../../core/protocol.ts';
import { systemClock, systemRandom, systemTimers } from '../../embedded/system.ts';
import { defaultOptions, Engine } from '../../engine/engine.ts';
import { cipher } from '../../engine/testing/world.suite.ts';
import { createProtocols } from '../../registry/protocols.ts';
import { localDispatch } from '../../router/local-dispatch.ts';
import { createRouter } from '../../router/router.ts';
import { rememberingLogger } from '../../rpc/testing/quiet.suite.ts';
import { hashText } from '../../store/hash.ts';
import { SimulatedData } from '../../store/simulated/data.ts';
import { openSimulatedStore } from '../../store/simulated/store.ts';
import { journalLines } from '../audit/journal.ts';
import type { AgentAnswer, AgentLines, OutgoingQuestion } from '../protocol/ask.ts';
import type { Said } from '../protocol/testing.suite.ts';
import { defaultTimeouts } from '../protocol/timeout-policy.ts';
import { LeagueManager } from './manager.ts';
import { leagueProtocol } from './match-task.ts';
import { defaultManagerOptions, type ManagerOptions } from './parts.ts';

export const ADMIN = 'the-token-of-the-administrator';

/** How somebody at an address answers; rejects where nobody does. */
export type Answering = (question: OutgoingQuestion) => Promise<JsonObject>;

/** One league after another on the same data, and the agents it speaks to, without a socket. */
export class LeagueWorld {
  readonly data = new SimulatedData();
  readonly agents = new Map<string, Answering>();
  /** What referees say that they have; who is not in here does not say. */
  readonly held = new Map<string, readonly string[]>();
  /** So many looks after referees come to nothing. */
  unheard = 0;
  readonly log = rememberingLogger();
  readonly asked: OutgoingQuestion[] = [];
  readonly tokens = new Map<string, string>([['admin', ADMIN]]);
  readonly options: Partial<ManagerOptions>;
  #open: { manager: LeagueManager; stop(): Promise<void> } | null = null;

  constructor(options: Partial<ManagerOptions> = {}) {
    this.options = options;
  }

  get manager(): LeagueManager {
    if (this.#open === null) throw new Error('no manager is open');
    return this.#open.manager;
  }

  get #store() {
    return openSimulatedStore({ data: this.data, clock: () => Date.now() });
  }

  async open(): Promise<void> {
    const store = this.#store;
    const system = { clock: systemClock, timers: systemTimers, random: systemRandom(), logger: this.log };
    const manager = new LeagueManager({
      ...{ ...system, cipher, reads: store.reads, lines: this.#lines(), engine: () => engine },
      options: {
        ...{ ...defaultManagerOptions, league_id: 'L1', game_type: 'even_odd', seed: 'seven' },
        ...{ admin_token: ADMIN, probe_ms: 20 },
        timeouts: { ...defaultTimeouts, join_ms: 1000, initial_delay_ms: 1, max_delay_ms: 5 },
        ...this.options,
      },
    });
    const protocols = createProtocols();
    protocols.register(parseProtocol(leagueProtocol));
    const engine = new Engine({
      ...{ ...system, cipher, store, schemas: protocols, dispatch: localDispatch, hash: hashText },
      ...{ router: createRouter([manager.provider]), options: defaultOptions },
    });
    await manager.open();
    await engine.start();
    await manager.start();
    const stop = async () => {
      await manager.quiet();
      await engine.stop(0);
      await manager.stop();
      await store.close();
    };
    this.#open = { manager, stop };
  }

  async close(): Promise<void> {
    await this.#open?.stop();
    this.#open = null;
  }

  async reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  #lines(): Pick<AgentLines, 'ask' | 'isThere' | 'matchesOf'> {
    return {
      ask: async (endpoint_url, question) => {
        this.asked.push(question);
        const answering = this.agents.get(endpoint_url);
        if (answering === undefined) throw new Error('nobody is there');
        const payload = await answering(question);
        const response = {
          jsonrpc: '2.0',
          result: { envelope: { ...question.envelope }, payload },
          id: question.id,
        };
        // What a test's agent says is taken as it is.
        return { is: 'answered', payload, response } as unknown as AgentAnswer<
          typeof question.envelope.message_type
        >;
      },
      isThere: async (endpoint_url) => {
        if (this.unheard === 0) return this.agents.has(endpoint_url);
        this.unheard--;
        return false;
      },
      matchesOf: async (endpoint_url) => this.held.get(endpoint_url) ?? null,
    };
  }

  /** The assignment that a referee has been given. */
  async assigned(nth = 0): Promise<OutgoingQuestion> {
    const assignments = () =>
      this.asked.filter(({ envelope }) => envelope.message_type === 'MATCH_ASSIGNMENT');
    await expect.poll(() => assignments().length, { interval: 5 }).toBeGreaterThan(nth);
    const found = assignments()[nth];
    if (found === undefined) throw new Error('no assignment');
    return found;
  }

  async over(): Promise<void> {
    await expect.poll(() => this.manager.state.status, { interval: 5 }).toBe('COMPLETED');
  }

  /** Says something to the manager; `token` as it was given to the sender. */
  async tell(type: string, said: Telling = {}): Promise<Said> {
    const { sender = 'admin', payload = {}, context = {}, id = randomUUID() } = said;
    const registers = type.startsWith('REGISTER');
    const auth_token = said.token ?? this.tokens.get(sender) ?? 'unknown-token';
    const envelope = {
      ...{ protocol: 'league.v2', message_type: type, sender, timestamp: new Date().toISOString() },
      ...{ conversation_id: randomUUID(), ...(registers ? {} : { auth_token }), ...context },
    };
    return this.say({ jsonrpc: '2.0', id, method: 'league.handle', params: { envelope, payload } });
  }

  async say(body: unknown): Promise<Said> {
    const route = this.manager.routes.find(({ path }) => path === '/mcp');
    if (route?.kind !== 'rpc') throw new Error('the manager has no endpoint');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const connection = {
      caller: { name: 'anybody', role: 'viewer' },
      headers: {},
      address: '',
      socket: null,
    } as const;
    const reply = await route.dispatch.handle(text, connection, new AbortController().signal);
    return { status: reply.status, ...JSON.parse(reply.text ?? 'null') };
  }

  async register(kind: 'referee' | 'player', id: string, more: Telling = {}): Promise<Said> {
    const type = `REGISTER_${kind.toUpperCase()}_REQUEST`;
    const payload = { [`${kind}_id`]: id, endpoint_url: addressOf(id) };
    const said = await this.tell(type, { sender: `${kind}:${id}`, payload, ...more });
    const token = said.result?.payload['auth_token'];
    if (typeof token === 'string') this.tokens.set(`${kind}:${id}`, token);
    return said;
  }

  /** Everybody is there, and acknowledges everything. */
  async populate(referees: readonly string[], players: readonly string[]): Promise<void> {
    for (const id of [...referees, ...players])
      this.agents.set(addressOf(id), async ({ envelope }) => ({
        status: 'ok',
        match_id: envelope.match_id ?? '',
      }));
    for (const id of referees) await this.register('referee', id);
    for (const id of players) await this.register('player', id);
  }

  /** A referee that reports at once: the first player wins. */
  judge(id: string): void {
    this.agents.set(addressOf(id), async ({ envelope, payload }) => {
      if (envelope.message_type === 'MATCH_ASSIGNMENT') void this.report(id, envelope, payload);
      return { status: 'acknowledged', match_id: envelope.match_id ?? '' };
    });
  }

  report(referee: string, about: object, assigned: JsonObject, more: Telling = {}): Promise<Said> {
    const [first, second] = assigned['players'] as [string, string];
    const { league_id, round_id, match_id } = about as Record<string, string>;
    const payload = {
      ...{ game_type: 'even_odd', players: [first, second], game_metadata: {} },
      ...{ outcome: { [first]: 'win', [second]: 'loss' }, points: { [first]: 3, [second]: 0 } },
    };
    const context = { league_id, round_id, match_id };
    return this.tell('MATCH_RESULT_REPORT', { sender: `referee:${referee}`, payload, context, ...more });
  }

  /** The log, once the manager is closed. */
  async lines(): Promise<string[]> {
    const store = this.#store;
    const lines: string[] = [];
    for await (const line of journalLines({ reads: store.reads }, 'L1')) lines.push(line);
    await store.close();
    return lines;
  }
}

export type Telling = {
  readonly sender?: string | undefined;
  readonly payload?: unknown;
  readonly context?: object;
  readonly id?: string | number;
  readonly token?: string | undefined;
};

export function addressOf(id: string): string {
  return `http://127.0.0.1:1/${id}`;
}
