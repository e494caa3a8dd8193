import type { JsonObject } from '../../core/json.ts';
import type { Asked } from '../../rpc/channel.ts';
import type { Note, Said } from './said.ts';

export type Request = {
  /** Also the token by which its progress is told. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Where the carrier has headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Hears how the call is getting on. */
  readonly heard: (note: Note) => void;
};

/** How something is said that has no answer. */
export type Telling = Pick<Request, 'headers' | 'signal'>;

/** So long a server may take to receive what it does not answer. */
export const TELL_MS = 5000;

/** What carries messages of MCP to one server. Rejects with errors of ours for what is no answer at all. */
export interface Carrier {
  /** Where requests have headers, and a request is given up by closing its stream. */
  readonly over_http: boolean;
  send(request: Request): Promise<Said>;
  notify(note: Note, telling: Telling): Promise<void>;
  /** Whether there is still what carried the session; a program that has ended takes its session with it. */
  readonly life: number;
  warm?(): void;
  renew?(silent_ms: number): void;
  /** Hears what the server says outside of any call, until the signal comes. Not every server has something to say. */
  listen?(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  /** Says that a session is over, where that can be said. */
  end?(headers: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/** Whoever hears what a server says by itself. */
export type Ears = {
  readonly noted: (note: Note) => void;
  readonly asked: Asked;
};

export const PROGRESS = 'notifications/progress';
