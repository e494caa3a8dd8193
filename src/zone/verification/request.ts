import type { JsonObject } from '../../core/json.ts';

/** What somebody asked in a chat, as the execution zone is told of it. Without the token that replies are posted with. */
export type ChatRequest = {
  readonly channel: string;
  readonly text: string;
  readonly correlation_id: string;
  readonly thread_ts?: string;
  readonly team_id?: string;
  readonly user_id?: string;
  readonly attachments?: readonly JsonObject[];
  /** The word it was asked by, where that was a command. */
  readonly command?: string;
};

/** The same with what makes it one of a kind. */
export type Asked = {
  /** The id of the JSON-RPC request: a UUID, the same however often the request is sent. */
  readonly id: string;
  readonly request: ChatRequest;
  /** When it was taken, in wall time: the deadline counts from there, over restarts too. */
  readonly received_at: number;
};
