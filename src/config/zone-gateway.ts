import { Type } from '../type.ts';
import { count, duration, item, path, section, size, text, texts } from './words.ts';
import { carrierSchema } from './zone-carrier.ts';

const rate = (description: string, requests: number) =>
  section(description, {
    requests: count('so many', requests, [1, 1_000_000]),
    per: duration('in so long', '1m', [0.1, 86_400]),
  });

/** The names are those of the sentences of the verification zone, which a test compares. */
const sentence = (when: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: when }));

export const sentenceKeys = {
  not_allowed: sentence('said to those who may not ask'),
  too_many: sentence('said to those who ask too fast'),
  channel_busy: sentence('said where a channel asks too much'),
  too_large: sentence('said of requests that are too large'),
  reply_too_large: sentence('said where the answer is larger than what carries it takes'),
  empty: sentence('said where the answer has no text'),
  not_posted: sentence('said where the chat does not take the reply and takes this'),
  too_late: sentence('said when the deadline is over'),
  not_understood: sentence('said when the execution zone finds a request wrong'),
  busy: sentence('said when the execution zone has too much to do'),
  unreachable: sentence('said when the execution zone cannot be reached'),
  failed: sentence('said of everything else that goes wrong'),
  cancelled: sentence('said when somebody cancelled the task'),
};

export const gatewaySchema = Type.Optional(
  item(
    'What `gleitzeit zone gateway` goes by: takes messages of a chat, asks the execution zone, posts replies.',
    {
      host: text('address to listen on', { default: '127.0.0.1' }),
      port: count('port to listen on; 0 takes a free one', 8080, [0, 65535]),
      path: text('where the chat sends events and commands', {
        default: '/slack/events',
        pattern: '^/[\\w./-]*$',
        'x-expected': 'a path such as /slack/events',
      }),
      tls: Type.Optional(
        item('listen with TLS', {
          cert: path('certificate with its chain, PEM'),
          key: path('its private key, PEM'),
        }),
      ),
      signing_secret: text('what the chat signs with: `${secrets.name}`'),
      bot_token: text('what replies are posted with, and what the execution zone is told: `${secrets.name}`'),
      chat: section('Where replies are posted.', {
        url: text('the API, up to the name of a method', {
          default: 'https://slack.com/api',
          pattern: '^https?://',
          'x-expected': 'an address that begins with https://',
        }),
        within: duration(
          'how long posting a reply is tried from when it is known, and for a minute of it after each start',
          '1h',
          [1, 604_800],
        ),
      }),
      events: Type.Array(Type.Enum(['app_mention', 'message']), {
        description: 'events that are answered',
        default: ['app_mention', 'message'],
        uniqueItems: true,
        minItems: 1,
      }),
      carrier: carrierSchema,
      store: section('Where messages and replies are kept until they are done.', {
        path: path('the file', { default: '.gleitzeit/gateway.db' }),
        days: Type.Number({
          description: 'how long it is remembered what was answered, so that it is not answered twice',
          default: 1,
          minimum: 0.1,
          maximum: 365,
        }),
      }),
      allow: section('Who may ask, and where. An empty list is everybody.', {
        teams: texts('ids of workspaces'),
        channels: texts('ids of channels'),
        users: texts('ids of users'),
      }),
      limits: section('How much is asked.', {
        per_user: rate('by one user', 20),
        per_channel: rate('in one channel', 60),
        request: size('what a request may measure', '256KiB', [1024, 100 * 2 ** 20]),
        body: size('what a message of the chat may measure', '1MiB', [1024, 32 * 2 ** 20]),
      }),
      deadline: duration('how long a reply may take', '10m', [0.1, 86_400]),
      budget: duration(
        'how long one request waits before the execution zone says `accepted` or `pending`',
        '5s',
        [0, 900],
      ),
      polling: section('How often an accepted task is asked for.', {
        first: duration('how long after the first time', '500ms', [0.01, 600]),
        longest: duration('twice as long each time, and no longer than this', '15s', [0.01, 3600]),
      }),
      concurrency: count('messages that are worked on at the same time', 1000, [1, 100_000]),
      stop_timeout: duration(
        'how long what is under way may go on after it was told to stop',
        '10s',
        [0, 3600],
      ),
      sentences: section('What people are told instead of the usual sentences.', sentenceKeys),
    },
  ),
);
