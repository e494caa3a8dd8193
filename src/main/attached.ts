import { isObject, own } from '../core/json.ts';
import type { MethodHandler, MethodTable } from '../rpc/dispatch.ts';
import type { Connection } from '../rpc/listener/route.ts';

type Socket = NonNullable<Connection['socket']>;

/** Other commands that wait for something this process works on. */
export type Others = {
  readonly count: number;
  /** Resolves as soon as nobody waits. */
  gone(): Promise<void>;
};

/** Notices them by what they ask for over the store's socket. */
export class Attached implements Others {
  readonly #isOwn: (socket: Socket) => boolean;
  readonly #waiting = new Set<Socket>();
  #gone = Promise.withResolvers<void>();

  constructor(isOwn: (socket: Socket) => boolean) {
    this.#isOwn = isOwn;
  }

  get count(): number {
    return this.#waiting.size;
  }

  gone(): Promise<void> {
    return this.count === 0 ? Promise.resolve() : this.#gone.promise;
  }

  /** Whoever follows one run or task, or asks for its result when it is there, waits for it until the connection ends. */
  readonly around = (methods: MethodTable<Connection>): MethodTable<Connection> => {
    const watched = new Map(methods);
    for (const name of ['event.subscribe', 'task.result', 'workflow.results']) {
      const handler = methods.get(name);
      if (handler !== undefined) watched.set(name, this.#noticing(name, handler));
    }
    return watched;
  };

  #noticing(name: string, handler: MethodHandler<Connection>): MethodHandler<Connection> {
    return (call) => {
      const { params, context } = call;
      const { socket } = context;
      const names = (key: string) => isObject(params) && own(params, key) !== undefined;
      const waits = name === 'event.subscribe' ? names('workflow_id') || names('task_id') : names('wait');
      if (waits && socket !== null && !this.#isOwn(socket)) this.#add(socket);
      return handler(call);
    };
  }

  #add(socket: Socket): void {
    if (this.#waiting.has(socket)) return;
    this.#waiting.add(socket);
    socket.onClose(() => {
      this.#waiting.delete(socket);
      if (this.count > 0) return;
      this.#gone.resolve();
      this.#gone = Promise.withResolvers();
    });
  }
}
