import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../src/core/json.ts';
import { systemClock, systemTimers } from '../../src/embedded/system.ts';
import type { LeagueAgent, LeagueQuestion, LeagueReply } from '../../src/league/protocol/agent.ts';
import { type AgentAnswer, type AgentLines, agentLines } from '../../src/league/protocol/ask.ts';
import { leagueRoutes } from '../../src/league/protocol/endpoint.ts';
import { newEnvelope } from '../../src/league/protocol/envelope.ts';
import type { RequestType } from '../../src/league/protocol/messages.ts';
import { defaultListenerLimits } from '../../src/rpc/listener/limits.ts';
import { createListener, type Listener } from '../../src/rpc/listener/listener.ts';
import { quiet } from '../../src/rpc/testing/quiet.suite.ts';

const system = { clock: systemClock, timers: systemTimers };

/** An agent of the test's own, as simple as one can be: what it is asked it acknowledges. */
export class SimpleAgent implements LeagueAgent {
  readonly kind: 'referee' | 'player';
  readonly sender: string;
  readonly id: string;
  readonly lines: AgentLines = agentLines(system);
  readonly asked: LeagueQuestion[] = [];
  token = '';
  endpoint_url = '';
  readonly #manager: () => string;
  #listener: Listener | null = null;

  constructor(kind: 'referee' | 'player', id: string, manager: () => string) {
    this.kind = kind;
    this.id = id;
    this.sender = `${kind}:${id}`;
    this.#manager = manager;
  }

  authenticate(): null {
    return null;
  }

  judge(): null {
    return null;
  }

  async handle(question: LeagueQuestion): Promise<LeagueReply> {
    this.asked.push(question);
    return { payload: { status: 'acknowledged', match_id: question.envelope.match_id ?? '' } };
  }

  status(): JsonObject {
    return {};
  }

  async listen(): Promise<void> {
    const listener = createListener({
      ...{ on: { host: '127.0.0.1', port: 0 }, limits: defaultListenerLimits, allowed_hosts: [] },
      ...{ allowed_origins: [], ...system, logger: quiet.logger },
    });
    for (const route of leagueRoutes({ agent: this, ...system, logger: quiet.logger })) listener.mount(route);
    this.endpoint_url = `${(await listener.start()).url}/mcp`;
    this.#listener = listener;
  }

  /** Asks the manager until it answers, as often as that takes, under the same id. */
  async tell(type: RequestType, payload: JsonObject = {}, context: object = {}): Promise<AgentAnswer> {
    const id = randomUUID();
    const conversation_id = randomUUID();
    const auth_token = type.startsWith('REGISTER') ? undefined : this.token;
    for (;;) {
      try {
        const at = Date.now();
        const said = { message_type: type, sender: this.sender, conversation_id, at, auth_token, context };
        const envelope = { ...newEnvelope(said), message_type: type };
        return await this.lines.ask(this.#manager(), { id, envelope, payload }, { timeout_ms: 5000 });
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async register(): Promise<void> {
    const type = this.kind === 'referee' ? 'REGISTER_REFEREE_REQUEST' : 'REGISTER_PLAYER_REQUEST';
    const payload = { [`${this.kind}_id`]: this.id, endpoint_url: this.endpoint_url };
    const answer = await this.tell(type, payload);
    if (answer.is !== 'answered') throw new Error(`${this.sender}: ${answer.details}`);
    this.token = String(answer.response['result'] === undefined ? '' : tokenIn(answer));
    const ready = await this.tell('AGENT_READY_REQUEST');
    if (ready.is !== 'answered') throw new Error(`${this.sender}: ${ready.details}`);
  }

  async stop(): Promise<void> {
    await this.#listener?.stop(0);
    await this.lines.close();
  }
}

function tokenIn({ response }: AgentAnswer): unknown {
  const { result } = response as { result?: { payload?: { auth_token?: unknown } } };
  return result?.payload?.auth_token;
}

/** Judges without asking anybody: who wins follows from the names. */
export class SimpleReferee extends SimpleAgent {
  readonly reports: AgentAnswer[] = [];
  readonly #taken = new Set<string>();

  override async handle(question: LeagueQuestion): Promise<LeagueReply> {
    if (question.envelope.message_type === 'MATCH_ASSIGNMENT') void this.#judge(question);
    return super.handle(question);
  }

  async #judge({ id, envelope, payload }: LeagueQuestion): Promise<void> {
    if (this.#taken.has(String(id))) return;
    this.#taken.add(String(id));
    const players = payload['players'] as [string, string];
    const [first, second] = players;
    const { league_id, round_id, match_id, game_type } = envelope;
    const report = {
      ...{ game_type: game_type ?? '', players, outcome: { [first]: 'win', [second]: 'loss' } },
      ...{ points: { [first]: 3, [second]: 0 }, game_metadata: {} },
    };
    this.reports.push(
      await this.tell('MATCH_RESULT_REPORT', report, { league_id, round_id, match_id, game_type }),
    );
  }
}
