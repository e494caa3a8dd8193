import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { said } from './entities.ts';
import { shortText } from './fields.ts';
import { type HookMessage, type HookOptions, ignored, malformed } from './message.ts';

/** Messages that people wrote, though they have a subtype. Others tell of edits, joins and what programs said. */
const spoken = ['file_share', 'thread_broadcast', 'me_message'];

/** `event_callback`: somebody mentioned the bot, or wrote where it listens. */
export function readEvent(callback: JsonObject, { events }: HookOptions): HookMessage {
  const { event, event_id, team_id } = callback;
  const key = shortText(event_id);
  if (!isObject(event) || key === undefined) return malformed('is an event without event or event_id');
  const type = shortText(event['type']) ?? '';
  if (!events.includes(type)) return ignored(`events of the type ${type} are not answered`);
  const reason = notForUs(event, botsOf(callback), events);
  if (reason !== null) return ignored(reason);
  const [channel, user_id, ts] = [event['channel'], event['user'], event['ts']].map(shortText);
  const { text } = event;
  if (channel === undefined || typeof text !== 'string')
    return malformed('is an event without channel or text');
  const thread_ts = threadOf(event, ts);
  const team = shortText(team_id) ?? shortText(event['team']);
  const thread = thread_ts === undefined ? {} : { thread_ts };
  const attachments = filesIn(event['files']);
  return {
    is: 'request',
    key: `event ${team ?? ''} ${key}`,
    request: {
      ...{ channel, text: said(withoutMention(text, botsOf(callback))), correlation_id: key, ...thread },
      ...(team === undefined ? {} : { team_id: team }),
      ...(user_id === undefined ? {} : { user_id }),
      ...(attachments.length === 0 ? {} : { attachments }),
    },
    reply_to: { channel, ...thread },
  };
}

/** Why nobody waits for an answer to it; null where somebody does. */
function notForUs(event: JsonObject, bots: readonly string[], events: readonly string[]): string | null {
  const { user, bot_id, subtype, type, text } = event;
  if (bot_id !== undefined && bot_id !== null) return 'a program wrote it';
  if (typeof subtype === 'string' && !spoken.includes(subtype)) return `it is a ${subtype}`;
  if (typeof user !== 'string') return 'nobody wrote it';
  if (bots.includes(user)) return 'we wrote it ourselves';
  const mentioned = typeof text === 'string' && bots.some((bot) => text.includes(`<@${bot}>`));
  if (type === 'message' && mentioned && event['channel_type'] !== 'im' && events.includes('app_mention'))
    return 'it comes as a mention, too';
  return null;
}

/** The names by which the bot itself is known to whoever sent the event. */
function botsOf({ authorizations }: JsonObject): readonly string[] {
  if (!Array.isArray(authorizations)) return [];
  return authorizations.flatMap((one: Json) =>
    isObject(one) && one['is_bot'] === true && typeof one['user_id'] === 'string' ? [one['user_id']] : [],
  );
}

/** Whoever is mentioned in a channel answers in the thread; a talk between two goes on where it is. */
function threadOf(event: JsonObject, ts: string | undefined): string | undefined {
  const thread = shortText(event['thread_ts']);
  return thread ?? (event['channel_type'] === 'im' ? undefined : ts);
}

function withoutMention(text: string, bots: readonly string[]): string {
  const [whole, bot] = /^\s*<@([A-Z0-9]+)(?:\|[^>]*)?>\s*/.exec(text) ?? [];
  return whole !== undefined && bots.includes(bot ?? '') ? text.slice(whole.length) : text;
}

const described = ['id', 'name', 'mimetype', 'size', 'url_private'];

/** Descriptors only: what is in the files stays where it is. */
function filesIn(files: Json | undefined): JsonObject[] {
  if (!Array.isArray(files)) return [];
  return files
    .filter((file): file is JsonObject => isObject(file))
    .map((file) => Object.fromEntries(Object.entries(file).filter(([key]) => described.includes(key))));
}
