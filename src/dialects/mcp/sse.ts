import { GleitzeitError } from '../../core/errors.ts';
import type { WebClient } from '../../rpc/http/client.ts';
import { requestText } from '../../rpc/messages.ts';
import type { Carrier, Request, Telling } from './carrier.ts';
import { refusal } from './http-said.ts';
import { patiently } from './patiently.ts';
import type { Note, Said } from './said.ts';
import { SseLine, type SseLineParts, streamEnded } from './sse-line.ts';

export type SseParts = SseLineParts & { readonly web: Pick<WebClient, 'close'> };

/** The first carrier of MCP over HTTP (2024-11-05): one stream brings everything, and names where to post. */
export class SseCarrier implements Carrier {
  readonly over_http = true;
  readonly #parts: SseParts;
  /** By which new calls are answered. */
  #line: SseLine | null = null;
  /** With those that only bring what was asked before. */
  readonly #lines = new Set<SseLine>();
  #closed: GleitzeitError | null = null;
  #life = 0;

  constructor(parts: SseParts) {
    this.#parts = parts;
  }

  get life(): number {
    return this.#life;
  }

  /** A stream is a session: a new one is begun by `initialize`, and lasts no longer than who asks for it waits. */
  async send(request: Request): Promise<Said> {
    const line = request.method === 'initialize' ? await this.#begin(request.signal) : this.#line;
    if (line === null) throw this.#closed ?? streamEnded(this.#parts.peer);
    return line.ask(request);
  }

  async notify({ method, params }: Note, telling: Telling): Promise<void> {
    const { peer } = this.#parts;
    if (this.#line === null) throw streamEnded(peer);
    const refused = await this.#line.post(requestText({ method, params }), telling);
    if (refused !== null) throw refusal(refused, peer);
  }

  async close(): Promise<void> {
    this.#closed = new GleitzeitError('GLZ2002', `the channel to ${this.#parts.peer} is closed`);
    for (const line of [...this.#lines]) line.end(this.#closed);
    await this.#parts.web.close();
  }

  async #begin(signal: AbortSignal): Promise<SseLine> {
    if (this.#closed !== null) throw this.#closed;
    const line = new SseLine(this.#parts, {
      over: (ended) => {
        this.#lines.delete(ended);
        this.#leave(ended);
      },
      dead: (dead) => {
        this.#leave(dead);
        // Calls that may take long in silence are not given up for it.
        dead.retire();
      },
    });
    const before = this.#line;
    this.#line = line;
    this.#lines.add(line);
    before?.retire();
    try {
      await patiently(line.open(), signal);
      return line;
    } catch (thrown) {
      line.end(GleitzeitError.from(thrown, 'GLZ2002'));
      throw thrown;
    }
  }

  #leave(line: SseLine): void {
    if (line !== this.#line) return;
    this.#line = null;
    this.#life++;
  }
}
