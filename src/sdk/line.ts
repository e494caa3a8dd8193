import { CallError } from './errors.ts';
import type { OpenPipe, Pipe, PipeReceiver } from './pipe.ts';
import { asError, mayPass, unreachable } from './problems.ts';
import { type Known, type Patience, pauseBefore, type WhenAway } from './reconnect.ts';

/** Whoever speaks over the line. */
export interface LineUser {
  /** Whether a line that was lost is wanted again. */
  isWanted(): boolean;
  opened(): void;
  received(text: string): void;
  /** What was sent will not be answered. */
  cut(): void;
  /** It is not tried any longer. */
  gaveUp(error: Error): void;
  /** Nothing was heard for long: ask something that will be answered. */
  probe(): void;
}

export type LineParts = {
  readonly open: OpenPipe;
  readonly url: string;
  readonly patience: Patience;
  readonly known: Known;
  readonly user: LineUser;
  readonly whenAway?: WhenAway | undefined;
};

const OPENING_MS = 15_000;
const SILENCE_MS = 20_000;
/** Whoever asks one thing after the other should not open a pipe for each. */
const IDLE_MS = 1000;

type State =
  | { readonly kind: 'down' }
  | { readonly kind: 'opening'; readonly stop: AbortController }
  | { readonly kind: 'up'; readonly pipe: Pipe }
  | { readonly kind: 'pausing' }
  | { readonly kind: 'closed' };

/** One pipe at a time: opened when somebody needs it, again after a cut, and let go when nobody does. */
export class Line {
  readonly #parts: LineParts;
  #state: State = { kind: 'down' };
  /** Counts the pipes: what a former one still says is of no interest. */
  #life = 0;
  #failures = 0;
  #troubleSince = 0;
  #heard = false;
  /** Somebody was told that the server is away. */
  #toldAway = false;
  /** The one thing that is waited for: the opening, the next try, a word from the peer, or that somebody needs it. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  get isUp(): boolean {
    return this.#state.kind === 'up';
  }

  need(): void {
    if (this.#state.kind === 'down') this.#open();
  }

  /** False: it was not sent, and `opened` will tell when it can be. */
  send(text: string): boolean {
    if (this.#state.kind !== 'up') {
      this.need();
      return false;
    }
    try {
      this.#state.pipe.send(text);
      return true;
    } catch (thrown) {
      this.#lost(asError(thrown, this.#parts.url).message);
      return false;
    }
  }

  /** Nobody needs it for now. */
  rest(): void {
    if (this.#state.kind !== 'up') return;
    this.#after(IDLE_MS, () => {
      if (this.#parts.user.isWanted()) this.#listen();
      else this.#letGo();
    });
  }

  close(): void {
    if (this.#state.kind !== 'closed') this.#drop({ kind: 'closed' });
  }

  #open(): void {
    const stop = new AbortController();
    const life = this.#drop({ kind: 'opening', stop });
    const late = () => this.#failed(unreachable(this.#parts.url, `no answer within ${OPENING_MS} ms`));
    this.#after(OPENING_MS, late);
    const ours = (act: () => void) => {
      if (this.#life === life) act();
    };
    const receiver: PipeReceiver = {
      message: (text) => ours(() => this.#received(text)),
      closed: (reason) => ours(() => this.#lost(reason)),
    };
    const opening = async () => this.#parts.open(receiver, stop.signal);
    opening().then(
      (pipe) => (this.#life === life ? this.#opened(pipe) : pipe.close()),
      (thrown: unknown) => ours(() => this.#failed(thrown)),
    );
  }

  #opened(pipe: Pipe): void {
    this.#state = { kind: 'up', pipe };
    this.#parts.known.reached = true;
    this.#listen();
    if (this.#toldAway) this.#parts.whenAway?.back?.();
    this.#toldAway = false;
    this.#parts.user.opened();
    if (!this.#parts.user.isWanted()) this.rest();
  }

  #received(text: string): void {
    this.#heard = true;
    this.#failures = 0;
    this.#parts.user.received(text);
  }

  /** Finds out when it is dead without anybody having said so. */
  #listen(probed = false): void {
    this.#after(SILENCE_MS, () => {
      const heard = this.#heard;
      if (!this.#parts.user.isWanted()) return this.#letGo();
      if (probed && !heard) return this.#lost('nothing was heard from it');
      this.#listen(!heard);
      if (!heard) this.#parts.user.probe();
    });
    this.#heard = false;
  }

  #letGo(): void {
    this.#drop({ kind: 'down' });
    this.#parts.user.cut();
  }

  #lost(reason: string): void {
    const wasUp = this.isUp;
    this.#drop({ kind: 'down' });
    if (wasUp) this.#parts.user.cut();
    // Whoever was told may have closed it, or asked for another at once.
    if (this.#state.kind === 'down') this.#failed(unreachable(this.#parts.url, reason));
  }

  #failed(thrown: unknown): void {
    const { patience, known, url, user } = this.#parts;
    const now = Date.now();
    if (this.#failures++ === 0) this.#troubleSince = now;
    const trouble = {
      failures: this.#failures,
      since_ms: now - this.#troubleSince,
      reached: known.reached,
    };
    const final = thrown instanceof CallError && !mayPass(thrown);
    const pause = final || !user.isWanted() ? null : pauseBefore(patience, trouble, Math.random());
    this.#drop({ kind: pause === null ? 'down' : 'pausing' });
    if (pause !== null) {
      this.#after(pause, () => this.#again());
      this.#tellAway(asError(thrown, url));
    } else {
      this.#failures = 0;
      this.#toldAway = false;
      user.gaveUp(asError(thrown, url));
    }
  }

  /** Only of a server that was there: whoever calls one that never was hears it by himself, and soon. */
  #tellAway(error: Error): void {
    if (this.#toldAway || !this.#parts.known.reached) return;
    this.#toldAway = true;
    this.#parts.whenAway?.away?.(error);
  }

  #again(): void {
    if (this.#parts.user.isWanted()) this.#open();
    else this.#drop({ kind: 'down' });
  }

  /** Ends what there is, and begins another life. */
  #drop(next: State): number {
    const before = this.#state;
    this.#state = next;
    clearTimeout(this.#timer);
    if (before.kind === 'up') before.pipe.close();
    if (before.kind === 'opening') before.stop.abort();
    return ++this.#life;
  }

  #after(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}
