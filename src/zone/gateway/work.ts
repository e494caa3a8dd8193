import type { JsonObject } from '../../core/json.ts';
import { escapedTexts } from '../execution/said.ts';
import type { Asked } from '../verification/request.ts';
import { idFrom } from '../verification/request-id.ts';
import type { Sentences } from '../verification/sentences.ts';
import { askingProtocol, postingProtocol } from './protocol.ts';
import type { Heard } from './slack/message.ts';

/** What becomes of a message: a workflow for the engine of the gateway, and what it is known by. */
export type Work = {
  readonly workflow: {
    readonly workflow_id: string;
    readonly name: string;
    readonly tasks: readonly TaskOfWork[];
  };
  readonly input: JsonObject;
  readonly idempotency_key: string;
};

type TaskOfWork = {
  readonly id: string;
  readonly protocol: string;
  readonly method: string;
  /** What the log knows the message by. */
  readonly name: string;
  readonly params: JsonObject;
  readonly dependencies?: readonly string[];
  readonly priority?: 'urgent';
  readonly timeout: number;
  readonly on_failure?: 'continue';
  readonly retry_config: {
    readonly max_attempts: number;
    readonly initial_delay?: number;
    readonly max_delay?: number;
  };
};

export type WorkOptions = {
  readonly deadline_ms: number;
  /** How long posting is tried; whoever posts keeps to it. */
  readonly post_within_ms: number;
  readonly sentences: Sentences;
};

/** Posting ends by itself before that. */
const POST_TIMEOUT_S = 60;

/** Asking and waiting ends by itself at the deadline; the engine looks whether it does. */
const LATE_S = 60;

/**
 * Asks, and posts what comes of it, or that nothing came of it. What people wrote is input of the run: nothing in it is read
 * as a reference.
 */
export function askAndPost(heard: Heard, received_at: number, options: WorkOptions): Work {
  const asked: Asked = { id: idFrom('request', heard.key), request: heard.request, received_at };
  const ask: TaskOfWork = {
    ...{ id: 'ask', protocol: askingProtocol.name, method: 'ask', name: nameOf(heard) },
    params: { asked: '${workflow.input.asked}' },
    on_failure: 'continue',
    timeout: options.deadline_ms / 1000 + LATE_S,
    // Only a gateway that dies ends an attempt, and each time the next one goes on where it was.
    retry_config: { max_attempts: 1000 },
  };
  const text = `\${ask.result.text ?? ${JSON.stringify(options.sentences.failed)}}`;
  const known_at = `\${ask.result.at ?? ${received_at + options.deadline_ms}}`;
  // A refusal concerns nobody but whoever asked, also where it was asking that found it out.
  const visible_to = '${ask.result.visible_to ?? "channel"}';
  const post = postTask(heard, { text, known_at, visible_to }, options);
  return work(heard, [ask, { ...post, dependencies: ['ask'] }], { asked: asked as unknown as JsonObject });
}

/** Only posts: the answer is known, and concerns nobody else. */
export function postOnly(
  heard: Heard,
  { text, known_at }: { readonly text: string; readonly known_at: number },
  options: WorkOptions,
): Work {
  const said = { text: '${workflow.input.text}', known_at, visible_to: 'asker' };
  return work(heard, [postTask(heard, said, options)], { text });
}

function work(heard: Heard, tasks: readonly TaskOfWork[], input: JsonObject): Work {
  const key = workIdOf(heard);
  const workflow = { workflow_id: key, name: 'zone-gateway', tasks };
  const { channel, correlation_id } = heard.request;
  return { workflow, input: { ...input, channel, correlation_id }, idempotency_key: key };
}

/** What the work for a message is called, the same for every delivery of it. */
export function workIdOf({ key }: Heard): string {
  return idFrom('work', key);
}

/** Ids of the chat are good names; what is none is not let near anything that reads names. */
function nameOf({ request }: Heard): string {
  return /^[\w.:-]+$/.test(request.correlation_id) ? request.correlation_id : 'a message';
}

/** So often a task may be tried at most. */
const MOST_TRIES = 1000;

function postTask(heard: Heard, said: JsonObject, { post_within_ms }: WorkOptions): TaskOfWork {
  const about = { channel: '${workflow.input.channel}', correlation_id: '${workflow.input.correlation_id}' };
  return {
    ...{
      id: 'post',
      protocol: postingProtocol.name,
      method: 'post',
      name: nameOf(heard),
      priority: 'urgent',
    },
    params: {
      client_msg_id: idFrom('reply', heard.key),
      ...said,
      ...about,
      ...escapedTexts({ ...heard.reply_to }),
    },
    timeout: POST_TIMEOUT_S,
    // Without `max_total`: a try that a dying gateway cut off is made again, however late. Half of a delay is left to chance.
    retry_config: {
      ...{ max_attempts: MOST_TRIES, initial_delay: 1 },
      max_delay: Math.max(60, Math.ceil((post_within_ms / 1000 / MOST_TRIES) * 4)),
    },
  };
}
