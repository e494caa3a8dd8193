import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import { textIn } from '../../core/members.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { type FollowParts, follow, forgotten, isUnreadable, isUnsupported, reconciled } from './follow.ts';
import type { Negotiation, Route } from './negotiation.ts';
import type { Talk } from './talk.ts';
import { notification, question } from './waits.ts';
import { PUSH_NOT_SUPPORTED, TASK_NOT_FOUND } from './wire/errors.ts';
import { callParts, inputParts, userMessage } from './wire/input.ts';
import type { Message, Oddities } from './wire/model.ts';
import { type Push, type Sending, sendRequest, streamRequest } from './wire/requests.ts';

export type Settings = {
  /** Null for as the card says. */
  readonly stream: boolean | null;
  readonly blocking: boolean | undefined;
  readonly push: boolean;
  readonly push_timeout_ms: number;
  readonly poll_ms: number;
  readonly accepted_output_modes: readonly string[] | undefined;
  readonly history_length: number | undefined;
  /** A name of the agent's own; null for those of the wires. */
  readonly method: string | null;
};

/** What the agent turned out not to be able to do, whatever its card says: not asked of it with every call. */
export type Found = { streams: boolean; pushes: boolean };

export type CallParts = {
  readonly negotiation: Negotiation;
  readonly settings: Settings;
  readonly found: Found;
  readonly timers: FollowParts['timers'];
  readonly structured: boolean;
  readonly hide: (ask: Json) => Json;
};

/** A task as a conversation with an agent: begun, or gone on with where an earlier attempt left it. */
export async function converse(parts: CallParts, call: ProviderCall, talk: Talk): Promise<Answer> {
  const streamed = talk.kept === null ? await begin(parts, call, talk) : await resume(parts, call, talk);
  const verdict = talk.verdict();
  if (talk.kept !== null && (verdict === null || verdict.is === 'open')) {
    const push = pushFor(parts, call, talk.route);
    if (push !== undefined) {
      const looks = call.response === undefined ? talk.kept.looks + 1 : 0;
      return { word: 'outside', wait: notification(parts, { ...talk.kept, looks }, push) };
    }
    const subscribe = wantsStream(parts, talk.route);
    await follow(talk, { ...parts, subscribe, poll_ms: parts.settings.poll_ms }, streamed);
  } else if (streamed && talk.kept !== null && talk.bare) await reconciled(talk);
  return answerOf(parts, talk);
}

function answerOf(parts: CallParts, talk: Talk): Answer {
  const odd: Oddities = [];
  const verdict = talk.verdict(odd);
  talk.translation.odd(odd);
  if (verdict === null || verdict.is === 'open')
    throw new GleitzeitError('GLZ2002', 'the agent ended its answer without a word about its task');
  if (verdict.is === 'error') throw verdict.error;
  if (verdict.is === 'success') {
    talk.translation.extracted(verdict.output);
    return { word: 'done', result: JSON.stringify(verdict.output) };
  }
  return { word: 'outside', wait: question(parts, talk, verdict) };
}

/** Whether the answer came as a stream. */
async function begin(parts: CallParts, call: ProviderCall, talk: Talk): Promise<boolean> {
  const { method, params, call_id } = call;
  const told = parts.structured ? callParts(method, params) : inputParts(params);
  const context_id = parts.structured ? null : textIn(params, 'context_id');
  const message = userMessage({ call_id, parts: told, context_id: context_id ?? undefined });
  return say(parts, call, talk, { message, named: call_id });
}

type Saying = { readonly message: Message; readonly named: string };

/** One message to the agent. What it cannot do is left out the second time: certainly nothing was done the first. */
async function say(parts: CallParts, call: ProviderCall, talk: Talk, saying: Saying): Promise<boolean> {
  const once = () =>
    parts.negotiation.begin(
      talk.signal,
      (route) => {
        talk.use(route);
        return send(parts, call, talk, saying);
      },
      talk.kept?.version,
    );
  try {
    return await once();
  } catch (thrown) {
    if (talk.signal.aborted || !talk.routed) throw thrown;
    const { remote_code } = GleitzeitError.from(thrown).details;
    if (pushFor(parts, call, talk.route) !== undefined && remote_code === PUSH_NOT_SUPPORTED)
      parts.found.pushes = false;
    else if (wantsStream(parts, talk.route) && isUnsupported(thrown)) parts.found.streams = false;
    else throw thrown;
    return once();
  }
}

async function send(parts: CallParts, call: ProviderCall, talk: Talk, saying: Saying): Promise<boolean> {
  const { settings } = parts;
  const { route } = talk;
  const push = pushFor(parts, call, route);
  const stream = push === undefined && wantsStream(parts, route);
  const sending: Sending = {
    message: saying.message,
    blocking: push === undefined ? settings.blocking : false,
    accepted_output_modes: settings.accepted_output_modes,
    history_length: settings.history_length,
    push,
    ...(settings.method === null ? {} : { method: settings.method }),
  };
  const request = talk.translation.request(saying.message, () =>
    (stream ? streamRequest : sendRequest)(route.endpoint, sending),
  );
  const before = talk.words;
  const reply = await talk.post(request, saying.named, stream);
  try {
    await talk.take(reply);
  } catch (thrown) {
    // Its task goes on without a stream; what has become of it is asked for.
    const begun = 'events' in reply && talk.kept !== null && talk.words > before;
    const error = GleitzeitError.from(thrown);
    const unreadable = isUnreadable(error);
    if (!begun || talk.signal.aborted || (error.code === 'GLZ2005' && !unreadable)) throw thrown;
    if (unreadable) talk.translation.unread(error);
  }
  return 'events' in reply;
}

function wantsStream({ settings, found }: CallParts, route: Route): boolean {
  return found.streams && settings.method === null && (settings.stream ?? route.streaming);
}

function pushFor({ settings, found }: CallParts, { callback }: ProviderCall, route: Route): Push | undefined {
  return settings.push && found.pushes && route.push ? callback : undefined;
}

/** Whether the answer came as a stream. */
async function resume(parts: CallParts, call: ProviderCall, talk: Talk): Promise<boolean> {
  const { kept } = talk;
  if (kept === null) return false;
  const { response } = call;
  const calledBack = kept.waits === 'notification' && response !== undefined;
  if (calledBack && !(await isAbout(parts, talk, response))) return false;
  await look(parts, talk);
  const verdict = talk.verdict();
  const waits = verdict === null || verdict.is === 'asks';
  const given =
    kept.waits === 'input' ? response !== undefined : kept.waits === 'auth' && saysSomething(response);
  if (!given || !waits || response === undefined) return false;
  talk.answering();
  const answers = kept.answers + 1;
  const named = `${call.call_id}.r${answers}`;
  const message = userMessage({
    call_id: named,
    parts: inputParts(response),
    task_id: kept.task_id,
    ...(kept.context_id === null ? {} : { context_id: kept.context_id }),
  });
  talk.onceHeard({ waits: null, answers, looks: 0 });
  return say(parts, call, talk, { message, named });
}

async function isAbout({ negotiation }: CallParts, talk: Talk, body: Json): Promise<boolean> {
  await negotiation.begin(talk.signal, async (route) => talk.use(route), talk.kept?.version);
  return talk.notified(body);
}

/** A person who has allowed something elsewhere has nothing to say to the agent but that it may go on. */
function saysSomething(response: Json | undefined): boolean {
  if (response === undefined || response === null || typeof response === 'boolean') return false;
  return !isObject(response) || Object.keys(response).length > 0;
}

/** The task as it is now. An agent that cannot tell is taken at its last word. */
async function look({ negotiation }: CallParts, talk: Talk): Promise<void> {
  const made = (route: Route) => {
    talk.use(route);
    return talk.get();
  };
  try {
    await negotiation.begin(talk.signal, made, talk.kept?.version);
  } catch (thrown) {
    if (talk.signal.aborted) throw thrown;
    if (GleitzeitError.from(thrown).details.remote_code === TASK_NOT_FOUND) throw forgotten(talk, thrown);
    if (talk.kept?.waits === null || !isUnsupported(thrown)) throw thrown;
  }
}
