import { isObject } from '../core/json.ts';
import { parsed, readAnswer, readJson } from './envelope.ts';
import { type Called, type Line, refused, type Usual } from './line.ts';

/** Of an id: some agents keep them where there is room for less. */
const LONG = 100;

/** Makes every mistake that a caller can make. Nothing is worked on. Says how a plain one was answered. */
export async function makeMistakes(line: Line): Promise<Usual | null> {
  const { wire, run } = line;
  const nobody = { id: `no-such-task-${run}` };
  const unknown = await refused(line, {
    ...{ method: wire.get, params: nobody, codes: [-32001] },
    ...{ rule: 'task-not-found', message: 'A task that there is not is not answered with -32001.' },
  });
  if (wire.version === '1.0') lookAtDetails(line, unknown);
  await refused(line, {
    ...{ method: wire.cancel, params: nobody, codes: [-32001], id: 0 },
    ...{ rule: 'cancel-unknown', message: 'To cancel a task that there is not is not answered with -32001.' },
  });
  await refused(line, {
    ...{ method: wire.get, params: nobody, codes: [-32001], id: `${run}-ü€😀-${'x'.repeat(LONG)}` },
    ...{ rule: 'task-not-found', message: 'A task that there is not is not answered with -32001.' },
  });
  // The last is a name that every object has in some languages.
  for (const method of ['gleitzeit/no-such-method', 'constructor'])
    await refused(line, {
      ...{ method, params: {}, codes: [-32601] },
      ...{ rule: 'unknown-method', message: 'A method that there is not is not answered with -32601.' },
    });
  const lost = { ...wire.message(`${run}-${wire.version}-lost`, line.text), taskId: nobody.id };
  await refused(line, {
    ...{ method: wire.send, params: { message: lost }, codes: [-32001] },
    ...{
      rule: 'message-to-unknown',
      message: 'A message to a task that there is not is not answered with -32001.',
    },
  });
  await refused(line, {
    ...{ method: wire.get, params: nobody, jsonrpc: '1.0', codes: [-32600, -32602] },
    ...{ rule: 'invalid-request', message: 'A request of JSON-RPC 1.0 is not answered with -32600.' },
  });
  for (const params of [{}, [], { message: { ...wire.message(`${run}-empty`, ''), parts: [] } }])
    await refused(line, {
      ...{ method: wire.send, params, codes: [-32602, -32600] },
      ...{ rule: 'invalid-params', message: 'A message that is none is not answered with -32602.' },
    });
  await sendNonsense(line, '{"jsonrpc": "2.0", "id": 1, "method": ');
  for (const body of ['', '42', 'null', '[]', '{"jsonrpc": "2.0", "id": 1, "method": 7}'])
    await sendNoRequest(line, body);
  if (wire.version === '1.0') await sendUnknownVersion(line);
  const { answer, heard } = unknown;
  return answer?.kind === 'error' ? { status: heard.status, code: answer.code } : null;
}

function lookAtDetails({ notice }: Line, { answer, heard }: Called): void {
  if (answer?.kind !== 'error') return;
  const { data } = answer.error;
  const details = Array.isArray(data) ? data : [];
  const told = details.some(
    (each) => isObject(each) && String(each['@type']).endsWith('google.rpc.ErrorInfo'),
  );
  if (!told) notice('error-details', 'Its errors have no details.', heard);
}

async function sendNoRequest({ talk, url, wire, notice }: Line, body: string): Promise<void> {
  const heard = await talk.say({ url, headers: wire.headers, body });
  const value = heard.trouble === null && heard.text !== null ? parsed(heard.text) : undefined;
  const answer = value === undefined ? null : readAnswer(value, { id: null, evidence: heard }, () => {});
  // Frameworks read the body before the agent does, and differ in what they make of it.
  if (
    heard.status < 500 &&
    answer?.kind === 'error' &&
    [-32700, -32600, -32602].includes(Number(answer.code))
  )
    return;
  notice('invalid-request', 'What is no request is not answered with -32600.', heard);
}

async function sendNonsense({ talk, url, wire, notice }: Line, body: string): Promise<void> {
  const heard = await talk.say({ url, headers: wire.headers, body });
  if (heard.status >= 500 || heard.trouble !== null) {
    notice('parse-error', 'What is no JSON makes it fail.', heard);
    return;
  }
  const value = readJson(heard, notice);
  if (value === undefined) return;
  // Which id an unreadable request has cannot be known.
  const answer = readAnswer(value, { id: null, evidence: heard }, notice);
  if (answer?.kind !== 'error' || answer.code !== -32700)
    notice('parse-error', 'What is no JSON is not answered with -32700.', heard);
}

async function sendUnknownVersion(line: Line): Promise<void> {
  const params = { id: `no-such-task-${line.run}` };
  await refused(line, {
    ...{ method: line.wire.get, params, headers: { 'a2a-version': '99.0' }, codes: [-32009] },
    ...{ rule: 'unknown-version', message: 'A version that there is not is not answered with -32009.' },
  });
}
