import { isUtf8 } from 'node:buffer';
import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { measure, textOf } from '../../../rpc/guard.ts';
import { readCommand } from './command.ts';
import { readEvent } from './event.ts';
import { type HookMessage, type HookOptions, ignored, malformed } from './message.ts';

const MAX_DEPTH = 64;
const form = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Events come as JSON, commands as a form. The signature was right, so what stands there was said by the chat. */
export function readHook(type: string | undefined, body: Uint8Array, options: HookOptions): HookMessage {
  if (form.test(type ?? ''))
    return isUtf8(body) ? readCommand(new URLSearchParams(textOf(body))) : malformed('is no text in UTF-8');
  const message = parse(body);
  if (message === null) return malformed('is neither JSON nor a form');
  if (message['type'] === 'url_verification') return challengeIn(message);
  if (message['type'] !== 'event_callback') return ignored('is no event that is subscribed to');
  return readEvent(message, options);
}

function challengeIn({ challenge }: JsonObject): HookMessage {
  return typeof challenge === 'string'
    ? { is: 'challenge', challenge }
    : malformed('has a challenge that is no text');
}

function parse(body: Uint8Array): JsonObject | null {
  if (measure(body, MAX_DEPTH) < 0) return null;
  try {
    const message = JSON.parse(textOf(body)) as Json;
    return isObject(message) ? message : null;
  } catch {
    return null;
  }
}
