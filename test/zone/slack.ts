import { createHmac } from 'node:crypto';

export const signingSecret = 'signing-secret-of-the-app';

/** As Slack signs, written from its documentation and not with our code. */
export function signed(body: string, at_s = Math.floor(Date.now() / 1000), secret = signingSecret) {
  const mac = createHmac('sha256', secret).update(`v0:${at_s}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': String(at_s), 'x-slack-signature': `v0=${mac}` };
}

let count = 0;

/** An event that nobody sent before: somebody mentions the bot. */
export function mention(text: string, more: object = {}) {
  const event_id = `Ev${Date.now()}${count++}`;
  return {
    ...{ type: 'event_callback', team_id: 'T1', api_app_id: 'A1', event_id, event_time: 1_700_000_000 },
    authorizations: [{ team_id: 'T1', user_id: 'UBOT', is_bot: true }],
    event: {
      ...{ type: 'app_mention', user: 'U1', channel: 'C1', ts: '1700000000.000100', channel_type: 'channel' },
      text: `<@UBOT> ${text}`,
      ...more,
    },
  };
}

export function send(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify(message);
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...signed(body), ...headers },
  });
}

export function command(url: string, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({
    ...{ token: 'legacy', team_id: 'T1', channel_id: 'C2', user_id: 'U2', command: '/ask' },
    ...{ trigger_id: `trigger-${Date.now()}-${count++}`, ...fields },
  }).toString();
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...signed(body) },
  });
}
