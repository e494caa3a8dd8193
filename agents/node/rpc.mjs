// JSON-RPC itself: requests, batches and errors.
import { methods } from './a2a.mjs';
import { internal, invalidParams, invalidRequest, isObject, RpcError, unsupported } from './errors.mjs';
import { Busy } from './tasks.mjs';
import { wires } from './wires.mjs';

const LONGEST_BATCH = 100;

const isId = (id) => id === null || typeof id === 'string' || typeof id === 'number';

/** The header decides; where there is none, the name of the method does. */
function versionOf(header, method) {
  if (/^0\.3(\.\d+)?$/.test(header)) return '0.3';
  if (/^1\.0(\.\d+)?$/.test(header)) return '1.0'; // a patch does not change the wire
  if (header !== '')
    throw new RpcError(-32009, 'VERSION_NOT_SUPPORTED', 'This agent speaks A2A-Version 0.3 and 1.0');
  return Object.hasOwn(methods['1.0'], method) ? '1.0' : '0.3';
}

/** Answers a request or a batch: with a value, or with an async iterable of values to stream. */
export async function call(body, { version, signal }) {
  if (!Array.isArray(body)) return callOne(body, version, signal);
  if (body.length === 0 || body.length > LONGEST_BATCH)
    return failure(null, invalidRequest(`a batch has 1 to ${LONGEST_BATCH} requests`));
  const answers = body.map(async (request) => {
    const answer = await callOne(request, version, signal);
    if (answer[Symbol.asyncIterator] === undefined) return answer;
    return failure(request.id ?? null, unsupported('A stream cannot be part of a batch'));
  });
  return Promise.all(answers);
}

async function callOne(request, header, signal) {
  // A2A has no notifications: what comes without an id is answered too, with null for it.
  const id = isId(request?.id) ? request.id : null;
  let wire = wires[header.startsWith('0') || header === '' ? '0.3' : '1.0'];
  try {
    const { method, params } = readRequest(request);
    const version = versionOf(header, method);
    wire = wires[version];
    if (!Object.hasOwn(methods[version], method))
      throw new RpcError(-32601, 'METHOD_NOT_FOUND', `Method not found: ${method}`);
    if (!isObject(params)) throw invalidParams('they must be an object');
    const result = await methods[version][method](params, wire, signal);
    return result[Symbol.asyncIterator] === undefined ? success(id, result) : successes(id, result);
  } catch (thrown) {
    if (thrown instanceof RpcError) return failure(id, thrown, wire);
    if (thrown instanceof Busy) return failure(id, internal(thrown.message), wire);
    console.error(thrown);
    return failure(id, internal('Internal error'), wire);
  }
}

function readRequest(request) {
  if (!isObject(request)) throw invalidRequest('it must be an object');
  const { jsonrpc, id = null, method, params = {} } = request;
  if (jsonrpc !== '2.0') throw invalidRequest('jsonrpc must be "2.0"');
  if (typeof method !== 'string') throw invalidRequest('method must be a text');
  if (!isId(id)) throw invalidRequest('id must be a text or a number');
  return { method, params };
}

const success = (id, result) => ({ jsonrpc: '2.0', id, result });

async function* successes(id, results) {
  for await (const result of results) yield success(id, result);
}

function failure(id, { code, message, reason }, wire = wires['0.3']) {
  const data = wire.detail(reason);
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
}

export const parseError = () => failure(null, new RpcError(-32700, 'PARSE_ERROR', 'Parse error'));
export const internalError = () => failure(null, internal('Internal error'));
export const wrongContentType = () =>
  failure(null, new RpcError(-32005, 'CONTENT_TYPE_NOT_SUPPORTED', 'Send Content-Type: application/json'));
