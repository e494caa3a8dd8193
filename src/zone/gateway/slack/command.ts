import { idFrom } from '../../verification/request-id.ts';
import { said } from './entities.ts';
import { shortText } from './fields.ts';
import { type HookMessage, ignored, malformed } from './message.ts';

/** Longer ones would not be addresses any more. */
const LONGEST_URL = 2048;

/** A slash command: `/ask when does the shop open`. Its reply goes to `response_url`. */
export function readCommand(form: URLSearchParams): HookMessage {
  if (form.get('ssl_check') === '1') return ignored('it only looks whether somebody is here');
  const [channel, team_id, user_id, command, trigger] = [
    ...['channel_id', 'team_id', 'user_id', 'command', 'trigger_id'],
  ].map((name) => shortText(form.get(name)));
  const response_url = addressIn(form.get('response_url'));
  if (channel === undefined || command === undefined || response_url === null)
    return malformed('is a command without channel_id, command or response_url');
  const key = `command ${team_id ?? ''} ${trigger ?? idFrom(form.toString())}`;
  return {
    is: 'request',
    key,
    request: {
      ...{ channel, text: said(form.get('text') ?? ''), correlation_id: idFrom('correlation', key), command },
      ...(team_id === undefined ? {} : { team_id }),
      ...(user_id === undefined ? {} : { user_id }),
    },
    reply_to: { response_url },
  };
}

function addressIn(text: string | null): string | null {
  if (text === null || text.length > LONGEST_URL || /[\s${}]/.test(text)) return null;
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null;
}
