import type { Client, ConnectOptions, connect } from '../../src/sdk/index.ts';

/** An event as it is in the log of the server. */
export type Logged = { readonly cursor: number; readonly event: string; readonly [field: string]: unknown };

/**
 * What the cases of the suite may ask for. It is all JSON: in a browser each of these is a call to the process that
 * started it.
 */
export type Controls = {
  /** A proxy of one's own before the server: cuts so many connections after about so many bytes; none without. */
  proxy(options: {
    readonly to: ServerName;
    readonly cuts?: number;
    readonly bytes?: number;
  }): Promise<string>;
  /** Ends all connections through a proxy, which takes new ones. */
  cutAll(url: string): Promise<void>;
  cutsSoFar(url: string): Promise<number>;
  /** Of the open server. */
  kill(): Promise<void>;
  start(): Promise<void>;
  log(): Promise<readonly Logged[]>;
  subscriptions(): Promise<number>;
  webSockets(): Promise<number>;
  /** A run of so many tasks of mixed fates; gives its `workflow_id`. */
  submitRun(size: number): Promise<string>;
  /** Answers the tasks of `echo/v1` with these texts, once the agent is called with them. */
  answer(texts: string | readonly string[], outcome?: 'completed' | 'failed'): Promise<void>;
  /** Ends what a case has opened. */
  tidy(): Promise<void>;
};

/** `open` takes everybody, `kept` only those with a key. */
export type ServerName = 'open' | 'kept';

export type Keys = { readonly viewer: string; readonly operator: string };

export type World = {
  readonly connect: typeof connect;
  readonly control: Controls;
  readonly keys: Keys;
  /** Nobody listens there. */
  readonly nowhere: string;
  /** A client through a proxy of its own that cuts nothing, to be closed by the case. */
  client(to?: ServerName, options?: Partial<ConnectOptions>): Promise<Client>;
  /** Resolves when it holds; looks now and then, for what nobody tells of. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
};

export type Case = (world: World) => Promise<void>;

export const controlNames = [
  'proxy',
  'cutAll',
  'cutsSoFar',
  'webSockets',
  'kill',
  'start',
  'log',
  'subscriptions',
  'submitRun',
  'answer',
  'tidy',
] as const satisfies readonly (keyof Controls)[];

export type WorldParts = Pick<World, 'connect' | 'control' | 'keys' | 'nowhere'>;

export function worldOf(parts: WorldParts): World {
  return {
    ...parts,
    client: async (to = 'open', options = {}) =>
      parts.connect({ url: await parts.control.proxy({ to }), ...options }),
    until: async (what, holds) => {
      const late = Date.now() + 20_000;
      while (!(await holds())) {
        if (Date.now() > late) throw new Error(`it did not come about that ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
  };
}
