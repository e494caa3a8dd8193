import { type Fault, json, page, swap, talkOf } from './fault.ts';

const onSimple = (given: ReturnType<typeof json>, when = /./): Pick<Fault, 'instead'> => ({
  instead: (asked) =>
    asked.method === 'POST' && talkOf(asked) === 'simple' && when.test(asked.body) ? given : undefined,
});

export const simpleFaults: readonly Fault[] = [
  {
    name: 'simple-without-status',
    about: 'Its answers have no status.',
    rule: 'simple-status',
    ...swap('simple', '"status":"success",', ''),
  },
  {
    name: 'simple-unknown-status',
    about: 'Its status is a word that nobody knows.',
    rule: 'simple-status',
    ...swap('simple', '"status":"success"', '"status":"fine"'),
  },
  {
    name: 'simple-status-in-capitals',
    about: 'Its status is written in capitals.',
    rule: 'simple-status',
    ...swap('simple', '"status":"success"', '"status":"SUCCESS"'),
  },
  {
    name: 'simple-other-task',
    about: 'Its answers are about another task.',
    rule: 'simple-task-id',
    ...swap('simple', /"task_id":"[^"]*"/, '"task_id":"another"'),
  },
  {
    name: 'simple-without-task',
    about: 'Its answers do not say which task they are about.',
    rule: 'simple-task-id',
    ...swap('simple', /"task_id":"[^"]*",/, ''),
  },
  {
    name: 'simple-without-output',
    about: 'It succeeds and gives no output.',
    rule: 'simple-output',
    ...swap('simple', /"output":\{[^}]*\}/, '"output":null'),
  },
  {
    name: 'simple-error-without-reason',
    about: 'It fails and does not say why.',
    rule: 'simple-error',
    ...onSimple(json({ task_id: 'x', status: 'error', output: null, error: null })),
  },
  {
    name: 'simple-success-with-error',
    about: 'It succeeds and names an error.',
    rule: 'simple-error',
    ...swap('simple', '"error":null', '"error":"it went wrong"'),
  },
  {
    name: 'simple-is-a-page',
    about: 'It answers with a page for people.',
    rule: 'answer-json',
    ...onSimple(page()),
  },
  {
    name: 'simple-content-type',
    about: 'Its answers are sent as a page.',
    rule: 'answer-type',
    after: (given, asked) =>
      talkOf(asked, given) === 'simple'
        ? { ...given, headers: { ...given.headers, 'content-type': 'text/html' } }
        : given,
  },
  {
    name: 'simple-with-http-status',
    about: 'It answers what went well with HTTP 500.',
    rule: 'http-status',
    after: (given, asked) => (talkOf(asked, given) === 'simple' ? { ...given, status: 500 } : given),
  },
  {
    name: 'simple-text-breaks-it',
    about: 'An input that is a text makes it fail.',
    rule: 'simple-input',
    ...onSimple(page(500), /"input":"/),
  },
  {
    name: 'simple-large-refused',
    about: 'It takes no request of 64 KiB.',
    rule: 'large-message',
    instead: (asked) => (asked.body.length > 20_000 ? page(413) : undefined),
  },
  {
    name: 'simple-one-at-a-time',
    about: 'It refuses a second call while one runs.',
    rule: 'at-once',
    instead: secondRefused(),
  },
  {
    name: 'simple-malformed-breaks-it',
    about: 'What is no JSON makes it fail.',
    rule: 'simple-malformed',
    after: (given) => (String(given.body).includes('-32700') ? page(500) : given),
  },
  {
    name: 'simple-members-refused',
    about: 'It refuses requests with members that it does not know.',
    rule: 'unknown-members',
    ...onSimple(json({ error: 'x_unknown' }, 400), /"x_unknown"/),
  },
];

/** A task that comes beside another is refused, and taken when it comes again by itself. */
function secondRefused(): NonNullable<Fault['instead']> {
  const seen = new Set<string>();
  return ({ method, body }) => {
    if (method !== 'POST' || !/-2","input"/.test(body) || seen.has(body)) return undefined;
    seen.add(body);
    return page(503);
  };
}
