import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { storeError } from './errors.ts';
import { HeldStore, type WriterOptions } from './held-store.ts';
import { type Ask, notOpen, type Reply, replyError } from './messages.ts';
import { type PackedRequest, unpackRequest } from './pack.ts';
import { packAnswer } from './pack-answer.ts';

/** Requests that wait share a transaction, but an answer should not wait for too many others. */
const MOST_TOGETHER = 64;
/** Said without being asked: the log has grown long. */
const WAL_IS_LONG: Reply = [0, null];

/** What writes, on whichever thread: the only one, and one transaction at a time. */
export class Writer {
  readonly #port: MessagePort;
  readonly #waiting: Ask[] = [];
  #store: HeldStore | null = null;
  #options: WriterOptions | null = null;
  #path = '';
  #busy = false;
  #walTold = false;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (ask: Ask) => {
      this.#waiting.push(ask);
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let ask = this.#next(); ask !== undefined; ask = this.#next()) {
      if (ask[1] === 'commit') await this.#commit(this.#together(ask));
      else this.#other(ask);
    }
    this.#busy = false;
  }

  #next(): Ask | undefined {
    return this.#waiting.shift() ?? (receiveMessageOnPort(this.#port)?.message as Ask | undefined);
  }

  /** Whatever else is waiting to be committed; what is not, comes after it. */
  #together(first: Ask): Ask[] {
    const asks = [first];
    while (asks.length < MOST_TOGETHER) {
      const ask = this.#next();
      if (ask?.[1] === 'commit') asks.push(ask);
      else {
        if (ask !== undefined) this.#waiting.unshift(ask);
        break;
      }
    }
    return asks;
  }

  async #commit(asks: readonly Ask[]): Promise<void> {
    try {
      const requests = asks.map(([, , packed]) => unpackRequest(packed as PackedRequest));
      const committed = this.#open().commit(requests).map(packAnswer);
      for (const [index, [id]] of asks.entries())
        this.#port.postMessage([id, committed[index]] satisfies Reply);
    } catch {
      // One of them may be to blame: each is tried by itself.
      for (const ask of asks) await this.#commitAlone(ask);
    }
    this.#watchWal();
  }

  async #commitAlone([id, , packed]: Ask): Promise<void> {
    try {
      const whole = await this.#open().commitAlone(unpackRequest(packed as PackedRequest));
      this.#port.postMessage([id, { whole }] satisfies Reply);
    } catch (thrown) {
      replyError(this.#port, id, storeError(thrown, this.#path));
    }
  }

  #watchWal(): void {
    if (this.#walTold || this.#store === null || this.#store.lost || !this.#store.needsCheckpoint()) return;
    this.#walTold = true;
    this.#port.postMessage(WAL_IS_LONG);
  }

  #other([id, method, value]: Ask): void {
    try {
      if (method === 'open') this.#openFirst(value as WriterOptions);
      else if (method === 'advance') this.#open().advance(value as number);
      else if (method === 'address') this.#setAddress(value as string | null);
      else if (method === 'close') this.#store?.close();
      else if (method === 'checkpoint') {
        this.#walTold = false;
        this.#open().finishCheckpoint();
      }
      this.#port.postMessage([id, null] satisfies Reply);
    } catch (thrown) {
      replyError(this.#port, id, storeError(thrown, this.#path));
    }
  }

  #openFirst(options: WriterOptions): void {
    this.#path = options.path;
    this.#store = new HeldStore(options);
    // The process lives on, and with it its engines: what they hold stays theirs when it is opened again.
    this.#options = { ...options, fresh: false };
  }

  #setAddress(address: string | null): void {
    this.#open().setAddress(address);
    if (this.#options !== null) this.#options = { ...this.#options, address };
  }

  #open(): HeldStore {
    if (this.#options === null) throw notOpen();
    if (this.#store === null || this.#store.lost) {
      this.#store?.abandon();
      this.#store = null;
      this.#store = new HeldStore(this.#options);
    }
    return this.#store;
  }
}
