import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Documents } from '../../registry/documents.ts';
import { AuditFile } from '../audit/file.ts';
import { Journal, journalLines, type NewEntry, type Page } from '../audit/journal.ts';
import { beginning, type ChainEnd, type Entry, readLine } from '../audit/line.ts';
import { checkEnvelope } from '../protocol/check-envelope.ts';
import { isRegistration } from '../protocol/messages.ts';
import { Repeats, requestMark } from '../protocol/repeats.ts';
import type { Fact } from './facts.ts';
import type { ManagerParts } from './parts.ts';
import { LeagueState } from './state.ts';

/** A league as it is kept: its state, the log that the state is the fold of, and what agents were answered. */
export class League {
  readonly state = new LeagueState();
  readonly repeats = new Repeats<JsonObject>();
  /** Hashes of tokens, and the tokens sealed, by sender. */
  readonly tokens = new Map<string, { readonly hash: string; readonly sealed: string }>();
  readonly #parts: ManagerParts;
  readonly #journal: Journal;
  readonly #file: AuditFile | null;
  /** Under which id each agent registered. */
  readonly #registered = new Map<string, string | number>();
  /** Questions of which the answer was not read yet. */
  readonly #asked = new Map<string, string>();

  constructor(parts: ManagerParts) {
    const { options, clock, timers, logger } = parts;
    this.#parts = parts;
    this.#file = options.audit_path === null ? null : new AuditFile(options.audit_path, logger);
    this.#journal = new Journal({
      ...{ documents: this.#documents(), league_id: options.league_id, clock, timers, logger },
      drawn: (lines) => this.#file?.write(lines),
    });
  }

  #documents(): Documents {
    const { engine, reads } = this.#parts;
    return { reads, put: (document) => engine().putDocument(document) };
  }

  get lost(): Promise<GleitzeitError> {
    return this.#journal.lost;
  }

  /** Takes up what an earlier process left, to the last line, and completes the file. */
  async open(): Promise<void> {
    let end: ChainEnd = beginning;
    for await (const page of this.#journal.open()) end = this.#takeIn(page, end);
    this.#asked.clear();
    const { league_id } = this.#parts.options;
    await this.#file?.open(journalLines(this.#documents(), league_id));
    this.#checkRules();
    if (this.state.rules !== null) return;
    const { game_type, seed, games } = this.#parts.options;
    const rules = { league_id, game_type, seed, games };
    const { window_ms } = this.#parts.options.timeouts;
    const window = window_ms === null ? {} : { closes_at: this.#parts.clock.wall() + window_ms };
    await this.recordFacts({ fact: 'league_opened', rules, ...window });
  }

  /** A league that was begun goes on by the rules it was begun with. */
  #checkRules(): void {
    const { rules } = this.state;
    const { game_type, seed } = this.#parts.options;
    if (rules === null || (rules.game_type === game_type && rules.seed === seed)) return;
    throw new GleitzeitError('GLZ1012', `the league ${rules.league_id} was begun with another game or seed`, {
      field: 'league_id',
      hint: 'give the new league another league_id',
    });
  }

  #takeIn({ lines, aside }: Page, before: ChainEnd): ChainEnd {
    let end = before;
    for (const text of lines) {
      const line = readLine(end, text);
      if (typeof line === 'string')
        throw new GleitzeitError(
          'GLZ3005',
          `line ${end.seq + 1} of the league's log is not as it was written: ${line}`,
        );
      end = line;
      const { entry } = line;
      if (entry.kind === 'message') this.#remember(entry, aside);
      else {
        this.state.apply(entry.fact);
        if (entry.fact.fact === 'agent_ready')
          this.registrationArrived(`${entry.fact.kind}:${entry.fact.id}`);
        const kept = aside.find(({ seq }) => seq === line.seq);
        if (entry.fact.fact === 'agent_registered' && kept !== undefined)
          this.tokens.set(`${entry.fact.kind}:${entry.fact.id}`, kept);
      }
    }
    return end;
  }

  /** What was answered then is answered again: questions that changed something, by the sender and id they came with. */
  #remember({ direction, peer, message }: Extract<Entry, { kind: 'message' }>, aside: Page['aside']): void {
    if (!isObject(message)) return;
    const { id, params, result } = message;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const key = JSON.stringify([peer, id]);
    if (direction === 'in' && isObject(params)) {
      const envelope = checkEnvelope(params['envelope']);
      // Its token was taken out; where it should have one, something stands in its place.
      if ('code' in envelope) return;
      if (isRegistration(envelope.message_type)) this.#registered.set(peer, id);
      this.#asked.set(key, requestMark({ envelope, payload: params['payload'] }));
      return;
    }
    const mark = this.#asked.get(key);
    if (direction !== 'out' || mark === undefined) return;
    this.#asked.delete(key);
    if (isObject(result))
      this.repeats.learn({ sender: peer, id, mark }, Promise.resolve(this.#whole(message, peer, aside)));
  }

  /** A registration is answered with its token, which does not stand in the log. */
  #whole(message: JsonObject, peer: string, aside: Page['aside']): JsonObject {
    const { result } = message;
    const payload = isObject(result) ? result['payload'] : undefined;
    const kept = this.tokens.get(peer);
    if (!isObject(result) || !isObject(payload) || !('auth_token' in payload) || aside.length === 0)
      return message;
    if (kept === undefined) return message;
    const token = this.#parts.cipher.open(kept.sealed);
    return { ...message, result: { ...result, payload: { ...payload, auth_token: token } } };
  }

  /** Its token has arrived, so nobody needs to be told it again. */
  registrationArrived(sender: string): void {
    const id = this.#registered.get(sender);
    if (id !== undefined) this.repeats.forget({ sender, id });
    this.#registered.delete(sender);
  }

  registeredUnder(sender: string, id: string | number): void {
    this.#registered.set(sender, id);
  }

  /** Changes what the facts change, at once, and resolves when that is durable, with everything told here, by one commit. */
  record(entries: readonly NewEntry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.kind !== 'fact') continue;
      this.state.apply(entry.fact);
      if (entry.fact.fact === 'agent_registered' && entry.token !== undefined)
        this.tokens.set(`${entry.fact.kind}:${entry.fact.id}`, entry.token);
    }
    return this.#journal.append(entries);
  }

  recordFacts(...facts: readonly Fact[]): Promise<void> {
    return this.record(facts.map((fact) => ({ kind: 'fact', fact })));
  }

  /** What was told so far is durable. */
  settled(): Promise<void> {
    return this.#journal.settled();
  }

  async close(): Promise<void> {
    await this.#journal.settled();
    this.#journal.close();
    await this.#file?.close();
  }
}
