import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHook } from './hook.ts';
import { checkSignature, signatureOf, WINDOW_S } from './signature.ts';

const options = { events: ['app_mention', 'message'] };
const read = (message: unknown, type = 'application/json') =>
  readHook(type, Buffer.from(typeof message === 'string' ? message : JSON.stringify(message)), options);

const event = {
  ...{
    type: 'app_mention',
    user: 'U1',
    channel: 'C1',
    text: '<@UBOT> hello',
    ts: '1.1',
    channel_type: 'channel',
  },
};
const callback = {
  ...{ type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event_time: 1, event },
  authorizations: [{ user_id: 'UBOT', is_bot: true }],
};
const withEvent = (more: object) => ({ ...callback, event: { ...event, ...more } });

describe('a signature', () => {
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  // The example of Slack's own documentation.
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const signature = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';
  const at = 1531420618;

  function check(more: { headers?: object; body?: string; now?: number } = {}) {
    const headers = {
      'x-slack-signature': signature,
      'x-slack-request-timestamp': String(at),
      ...more.headers,
    };
    return checkSignature(secret, {
      headers,
      body: Buffer.from(more.body ?? body),
      now: more.now ?? at * 1000,
    });
  }

  it('is made as Slack makes it', () => {
    expect(signatureOf(secret, String(at), body)).toBe(signature);
    expect(check()).toBe('right');
  });

  it('holds for these bytes, this secret and this moment only', () => {
    expect(check({ body: `${body} ` })).toBe('wrong');
    expect(check({ headers: { 'x-slack-signature': `v0=${'0'.repeat(64)}` } })).toBe('wrong');
    expect(check({ headers: { 'x-slack-signature': 'v0=short' } })).toBe('wrong');
    expect(check({ headers: { 'x-slack-request-timestamp': `${at + 1}` } })).toBe('wrong');
    expect(check({ headers: { 'x-slack-request-timestamp': '-1' } })).toBe('wrong');
    expect(check({ headers: { 'x-slack-signature': undefined } })).toBe('missing');
    expect(check({ now: (at + WINDOW_S) * 1000 })).toBe('right');
    for (const late of [WINDOW_S + 1, -WINDOW_S - 1])
      expect(check({ now: (at + late) * 1000 })).toBe('stale');
  });

  it('is right whatever the bytes, and wrong when one of them changes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(), (bytes, place) => {
        const headers = (of: Uint8Array) => ({
          ...{ 'x-slack-signature': signatureOf(secret, '5', of), 'x-slack-request-timestamp': '5' },
        });
        expect(checkSignature(secret, { headers: headers(bytes), body: bytes, now: 5000 })).toBe('right');
        const other = Uint8Array.from(bytes);
        other[place % bytes.length] = (other[place % bytes.length] ?? 0) ^ 1;
        expect(checkSignature(secret, { headers: headers(bytes), body: other, now: 5000 })).toBe('wrong');
      }),
    );
  });
});

describe('what comes through the hook', () => {
  it('is a challenge once', () => {
    expect(read({ type: 'url_verification', challenge: 'abc' })).toEqual({
      is: 'challenge',
      challenge: 'abc',
    });
  });

  it('is a mention, answered in its thread', () => {
    expect(read(callback)).toEqual({
      is: 'request',
      key: 'event T1 Ev1',
      request: {
        ...{ channel: 'C1', text: 'hello', correlation_id: 'Ev1', thread_ts: '1.1' },
        ...{ team_id: 'T1', user_id: 'U1' },
      },
      reply_to: { channel: 'C1', thread_ts: '1.1' },
    });
    expect(read(withEvent({ thread_ts: '0.5' }))).toMatchObject({ reply_to: { thread_ts: '0.5' } });
  });

  it('says what somebody wrote, not what Slack makes of it', () => {
    const text = '<@UBOT> is 1 &lt; 2 &amp;&amp; &amp;lt; in <https://x.example?a=1&amp;b|x>?';
    const request = { text: 'is 1 < 2 && &lt; in <https://x.example?a=1&b|x>?' };
    expect(read(withEvent({ text }))).toMatchObject({ request });
  });

  it('may come by an app that somebody has authorised for themselves', () => {
    const authorizations = [{ user_id: 'U1', is_bot: false }];
    expect(read({ ...callback, authorizations })).toMatchObject({
      is: 'request',
      request: { user_id: 'U1' },
    });
  });

  it('is a message between two, answered where it is', () => {
    const direct = read(withEvent({ type: 'message', channel_type: 'im', text: 'hi' }));
    expect(direct).toMatchObject({ request: { text: 'hi' }, reply_to: { channel: 'C1' } });
    expect(direct).not.toHaveProperty('reply_to.thread_ts');
  });

  it('brings along what files are there, and nothing of them', () => {
    const files = [{ id: 'F1', name: 'a.pdf', size: 3, permalink_public: 'https://example.org/x' }, 'odd'];
    expect(read(withEvent({ subtype: 'file_share', files }))).toMatchObject({
      request: { attachments: [{ id: 'F1', name: 'a.pdf', size: 3 }] },
    });
  });

  it.each([
    ['of a program', { bot_id: 'B1' }],
    ['of our own', { user: 'UBOT' }],
    ['that was edited', { subtype: 'message_changed' }],
    ['of nobody', { user: undefined }],
    ['of another type', { type: 'reaction_added' }],
    ['that comes as a mention, too', { type: 'message' }],
  ])('is ignored: a message %s', (_, more) => {
    expect(read(withEvent(more))).toMatchObject({ is: 'ignored' });
  });

  it('is a command, answered at its address', () => {
    const form = new URLSearchParams({
      ...{
        team_id: 'T1',
        channel_id: 'C1',
        user_id: 'U1',
        command: '/ask',
        text: 'when?',
        trigger_id: '1.2.3',
      },
      response_url: 'https://hooks.slack.com/commands/T1/1/abc',
    });
    expect(read(form.toString(), 'application/x-www-form-urlencoded')).toMatchObject({
      ...{
        is: 'request',
        key: 'command T1 1.2.3',
        request: { channel: 'C1', text: 'when?', command: '/ask' },
      },
      reply_to: { response_url: 'https://hooks.slack.com/commands/T1/1/abc' },
    });
    const form2 = (changes: Record<string, string>) =>
      read(
        new URLSearchParams({ ...Object.fromEntries(form), ...changes }).toString(),
        'application/x-www-form-urlencoded',
      );
    expect(form2({ text: 'a &lt; b' })).toMatchObject({ request: { text: 'a < b' } });
    expect(form2({ ssl_check: '1' })).toMatchObject({ is: 'ignored' });
    for (const response_url of ['', 'ftp://x', 'https://x/${a}', 'no address'])
      expect(form2({ response_url })).toMatchObject({ is: 'malformed' });
  });

  it('never throws, whatever it is', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((one) => JSON.stringify(withEvent(Object(one)))),
      fc.uint8Array(),
    );
    const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain');
    fc.assert(
      fc.property(anything, type, (text, kind) => {
        const body = typeof text === 'string' ? Buffer.from(text) : text;
        expect(['request', 'challenge', 'ignored', 'malformed']).toContain(readHook(kind, body, options).is);
      }),
    );
  });
});
