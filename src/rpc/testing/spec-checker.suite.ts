/**
 * Says whether a server's reply follows JSON-RPC 2.0, from the text of the request and the text of the reply alone.
 * Written from the specification, and knowing nothing of the code it judges: what both believed would never be found.
 */
export type World = {
  /** What a method does with such params; undefined where there is no such method. */
  outcome(method: string, params: unknown): { result: unknown } | { code: number } | undefined;
  /** Not of the specification: how deep and how long a message may be before it is refused as a whole. */
  readonly max_depth: number;
  readonly max_batch: number;
};

type Expected = { readonly id: unknown; readonly outcome: { result: unknown } | { code: number } };

/** What is wrong with the reply, or null. A reply of null is silence. */
export function wrongWith(request: Uint8Array | string, reply: string | null, world: World): string | null {
  const sent = parse(request);
  if (sent === undefined) return judgeRefusal(request, reply, world);
  if (depthOf(sent.value) > world.max_depth) return judgeOne(reply, refusal(-32600));
  if (!Array.isArray(sent.value)) return judgeOne(reply, expectedOf(sent.value, world));
  if (sent.value.length === 0 || sent.value.length > world.max_batch) return judgeOne(reply, refusal(-32600));
  const expected = sent.value.map((member) => expectedOf(member, world)).filter((one) => one !== null);
  return expected.length === 0 ? judgeOne(reply, null) : judgeBatch(reply, expected);
}

/** What is no JSON is a parse error; if it looks too deep or too long besides, saying that is as good. */
function judgeRefusal(request: Uint8Array | string, reply: string | null, world: World): string | null {
  const parseError = judgeOne(reply, refusal(-32700));
  if (parseError === null) return null;
  const text = typeof request === 'string' ? request : new TextDecoder().decode(request);
  const brackets = text.split(/[[{]/).length - 1;
  const commas = text.split(',').length - 1;
  const suspicious = brackets > world.max_depth || commas >= world.max_batch;
  return suspicious ? judgeOne(reply, refusal(-32600)) : parseError;
}

function refusal(code: number): Expected {
  return { id: null, outcome: { code } };
}

function parse(text: Uint8Array | string): { value: unknown } | undefined {
  try {
    const whole =
      typeof text === 'string'
        ? text
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text);
    return { value: JSON.parse(whole) };
  } catch {
    return undefined;
  }
}

/** What must be said to one request object; null for a notification. */
function expectedOf(member: unknown, world: World): Expected | null {
  const fields = fieldsOf(member);
  if (fields === undefined) return refusal(-32600);
  const id = fields.get('id');
  const idAllowed = typeof id === 'string' || id === null || isExactNumber(id);
  const valid =
    fields.get('jsonrpc') === '2.0' &&
    typeof fields.get('method') === 'string' &&
    (!fields.has('params') || isStructured(fields.get('params'))) &&
    (!fields.has('id') || idAllowed);
  if (!valid) return { id: fields.has('id') && idAllowed ? id : null, outcome: { code: -32600 } };
  if (!fields.has('id')) return null;
  const outcome = world.outcome(fields.get('method') as string, fields.get('params'));
  return { id, outcome: outcome ?? { code: -32601 } };
}

/** A number that JavaScript cannot hold cannot be given back, and counts as no id. */
function isExactNumber(id: unknown): boolean {
  return typeof id === 'number' && id >= -(2 ** 53) + 1 && id <= 2 ** 53 - 1;
}

function isStructured(params: unknown): boolean {
  return Array.isArray(params) || fieldsOf(params) !== undefined;
}

function fieldsOf(value: unknown): Map<string, unknown> | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

function judgeOne(reply: string | null, expected: Expected | null): string | null {
  if (reply === null || expected === null)
    return (reply === null) === (expected === null)
      ? null
      : `${reply ?? 'silence'} where it must be otherwise`;
  const said = parse(reply);
  return said === undefined ? `a reply that is no JSON: ${reply}` : mismatch(said.value, expected);
}

/** As many as were asked for, in any order, each fitting one request. */
function judgeBatch(reply: string | null, expected: readonly Expected[]): string | null {
  const said = reply === null ? undefined : parse(reply)?.value;
  if (!Array.isArray(said)) return `a batch is answered with an array, not ${reply ?? 'silence'}`;
  if (said.length !== expected.length) return `${said.length} answers to ${expected.length} requests`;
  const left = [...expected];
  for (const one of said) {
    const at = left.findIndex((candidate) => mismatch(one, candidate) === null);
    if (at < 0) return `an answer that fits no request: ${JSON.stringify(one)}`;
    left.splice(at, 1);
  }
  return null;
}

function mismatch(response: unknown, { id, outcome }: Expected): string | null {
  const fields = fieldsOf(response);
  if (fields === undefined) return `a response is an object, not ${JSON.stringify(response)}`;
  const words = [...fields.keys()].sort().join(' ');
  const shown = JSON.stringify(response);
  if (fields.get('jsonrpc') !== '2.0') return `jsonrpc is not "2.0" in ${shown}`;
  if (words !== ('result' in outcome ? 'id jsonrpc result' : 'error id jsonrpc')) return `members: ${words}`;
  // By type as well: "1" and 1 differ in their JSON text.
  if (JSON.stringify(fields.get('id')) !== JSON.stringify(id))
    return `the id is not ${String(id)} in ${shown}`;
  if ('code' in outcome) return errorMismatch(fields.get('error'), outcome.code);
  const same = JSON.stringify(fields.get('result')) === JSON.stringify(outcome.result);
  return same ? null : `the result is not ${JSON.stringify(outcome.result)} in ${shown}`;
}

function errorMismatch(error: unknown, code: number): string | null {
  const fields = fieldsOf(error);
  const shown = JSON.stringify(error);
  if (fields === undefined) return `an error is an object, not ${shown}`;
  if (fields.get('code') !== code) return `the code is not ${code} in ${shown}`;
  if (typeof fields.get('message') !== 'string') return `no message in ${shown}`;
  const others = [...fields.keys()].filter((key) => !['code', 'message', 'data'].includes(key));
  return others.length === 0 ? null : `further members in ${shown}`;
}

function depthOf(value: unknown): number {
  let deepest = 0;
  const open: [unknown, number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [one, depth] = next;
    if (one === null || typeof one !== 'object') continue;
    deepest = Math.max(deepest, depth);
    for (const inner of Object.values(one)) open.push([inner, depth + 1]);
  }
  return deepest;
}
