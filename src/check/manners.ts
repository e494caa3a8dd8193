import { asUsual, call, type Line, type Usual } from './line.ts';

const LARGE = 64 * 1024;
const AT_ONCE = 4;

/** Whether it takes requests that differ in what should make no difference. Nothing is worked on. */
export async function lookAtManners(line: Line, usual: Usual): Promise<void> {
  const { run } = line;
  const correlation = {
    'x-correlation-id': run,
    'idempotency-key': run,
    'a2a-extensions': 'urn:gleitzeit:check',
  };
  await asUsual(line, usual, {
    ...{ rule: 'headers', message: 'It refuses requests with headers that it does not know.' },
    headers: correlation,
  });
  await asUsual(line, usual, {
    ...{ rule: 'content-type-parameters', message: 'It refuses application/json; charset=utf-8.' },
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
  await asUsual(line, usual, {
    ...{ rule: 'unknown-members', message: 'It refuses requests with members that it does not know.' },
    members: { 'x-unknown': { x: 1 } },
  });
  await asUsual(line, usual, {
    ...{ rule: 'large-message', message: 'It refuses requests of 64 KiB.' },
    members: { metadata: { filler: 'x'.repeat(LARGE) } },
  });
  const slashed = withSlash(line.url);
  if (slashed !== null)
    await asUsual(line, usual, {
      ...{
        rule: 'trailing-slash',
        message: 'With a slash behind its address it is not found.',
        url: slashed,
      },
    });
  // 0.3 leaves it open.
  if (line.wire.version === '1.0') await sendOtherType(line);
  await callAtOnce(line, usual);
}

/** Null where the address ends with one, or has nothing before it. */
function withSlash(url: URL): URL | null {
  if (url.pathname.endsWith('/')) return null;
  const slashed = new URL(url.href);
  slashed.pathname += '/';
  return slashed;
}

async function sendOtherType(line: Line): Promise<void> {
  const headers = { 'content-type': 'text/plain' };
  const params = { id: `no-such-task-${line.run}` };
  const quiet = { ...line, notice: () => {} };
  const { answer, heard } = await call(quiet, { method: line.wire.get, params, headers });
  const refused = heard.status >= 400 || (answer?.kind === 'error' && answer.code !== -32001);
  if (!refused) line.notice('content-type', 'It takes bodies that are not sent as JSON.', heard);
}

/** Calls that come together: each is answered, and each with its own id. */
async function callAtOnce(line: Line, usual: Usual): Promise<void> {
  const { wire, run, notice } = line;
  const calls = Array.from({ length: AT_ONCE }, (_, index) => {
    const params = { id: `no-such-task-${run}` };
    const silent = { ...line, notice: keepIds(notice) };
    return call(silent, { method: wire.get, params, id: `at-once-${run}-${index}` });
  });
  for (const { answer, heard } of await Promise.all(calls))
    if (heard.status !== usual.status || answer === null)
      notice('at-once', 'It refuses calls that come together.', heard);
}

/** Of what is noticed in calls that come together only what is about ids is new. */
function keepIds(notice: Line['notice']): Line['notice'] {
  return (rule, message, evidence, expected) => {
    if (rule === 'answer-id') notice(rule, message, evidence, expected);
  };
}

/** Whether an agent that says it wants to know who calls does so. */
export async function comeAsNobody(line: Line): Promise<void> {
  const params = { id: `no-such-task-${line.run}` };
  const quiet = { ...line, notice: () => {} };
  const { heard } = await call(quiet, { method: line.wire.get, params, bare: true });
  const refused = heard.status === 401 || heard.status === 403;
  if (!refused) line.notice('unauthenticated', 'It takes calls of those who show nothing.', heard);
}
