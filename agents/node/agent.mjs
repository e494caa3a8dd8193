// An agent that Gleitzeit, or any A2A client, can call. Node 18 or later, nothing to install.
//
//   node agent.mjs [port]        PORT, HOST, SKILL, TOKEN, PUBLIC_URL and STEP_MS are read from the environment
//
// One address takes A2A 0.3, A2A 1.0 (a2a.mjs) and simple-a2a (below), told apart by what comes in.
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { call, internalError, parseError, wrongContentType } from './rpc.mjs';
import { Ask, pick, skills, textOf } from './skills.mjs';
import { reasonOf, stopTasks } from './tasks.mjs';

const LARGEST_BODY = 1024 * 1024;
const MOST_CALLS = 64;
const KEEP_ALIVE_MS = 15_000;
const STOP_MS = 10_000;

const host = process.env.HOST || '127.0.0.1';
const port = Number(process.argv[2] || process.env.PORT || 9100);
const token = process.env.TOKEN || '';
if (process.env.SKILL && !Object.hasOwn(skills, process.env.SKILL)) {
  console.error(`SKILL is one of ${Object.keys(skills).join(', ')}.`);
  process.exit(2);
}

// ---- The card: what others learn about this agent before they call it -----------------------------------------------

function card(version) {
  const url = process.env.PUBLIC_URL || `http://${host}:${server.address().port}/`;
  const pure = version.startsWith('1');
  return {
    // Clients of 0.3 look for these members, and ignore those of 1.0 that they do not know.
    ...(pure ? {} : { protocolVersion: '0.3.0' }),
    name: 'sample-agent',
    description: 'A small agent to copy: it changes, counts and greets.',
    ...(pure ? {} : { url, preferredTransport: 'JSONRPC' }),
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: false },
    ...(token === '' ? {} : security(pure)),
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: Object.entries(skills).map(([id, { description, example }]) => ({
      id,
      name: id,
      description,
      tags: ['text'],
      examples: [example],
    })),
  };
}

function security(pure) {
  if (!pure)
    return { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, security: [{ bearer: [] }] };
  return {
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  };
}

function sendCard(request, response, version) {
  const body = JSON.stringify(card(version));
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
  // The card depends on a header, and caches have to know.
  const headers = { 'Cache-Control': 'public, max-age=300', ETag: etag, Vary: 'A2A-Version' };
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304, headers).end();
  sendText(response, 200, body, headers);
}

// ---- simple-a2a: {task_id, input} → {task_id, status, output, error} ------------------------------------------------

async function simple({ task_id, input }) {
  if (typeof task_id !== 'string' || task_id === '')
    return [400, { task_id: null, status: 'error', output: null, error: 'task_id must be a text' }];
  const said = [];
  const { skill, text } = pick(textOf(input));
  try {
    const result = await skill.run(text, { say: (piece) => said.push(piece), signal: stopping.signal });
    return [200, { task_id, status: 'success', output: { text: [...said, result].join('\n') }, error: null }];
  } catch (thrown) {
    // There is nobody to ask here: a question ends the call.
    const error = thrown instanceof Ask ? thrown.message : reasonOf(thrown);
    return [200, { task_id, status: 'error', output: null, error }];
  }
}

const isSimple = (body) =>
  typeof body === 'object' && body !== null && !('jsonrpc' in body) && ('task_id' in body || 'input' in body);

// ---- HTTP -----------------------------------------------------------------------------------------------------------

let calls = 0;
const stopping = new AbortController();

async function handle(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://agent');
  const version = request.headers['a2a-version'] ?? searchParams.get('A2A-Version') ?? '';
  // By it, a call is found in the logs of both sides.
  const correlation = request.headers['x-correlation-id'] ?? '';
  if (/^[!-~]{1,200}$/.test(correlation)) response.setHeader('X-Correlation-ID', correlation);
  if (request.method === 'GET' && pathname === '/health') return sendJson(response, 200, { status: 'ok' });
  if (request.method === 'GET' && /\/\.well-known\/agent(-card)?\.json$/.test(pathname))
    return sendCard(request, response, version);
  if (request.method !== 'POST') return refuse(response, 405, 'Send a POST', { Allow: 'POST' });
  if (!isAllowed(request.headers.authorization))
    return refuse(response, 401, 'Send the token', { 'WWW-Authenticate': 'Bearer' });
  if (calls >= MOST_CALLS) return refuse(response, 503, 'Too many calls at once', { 'Retry-After': '1' });
  calls++;
  response.once('close', () => calls--);
  await answer(request, response, version);
}

async function answer(request, response, version) {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return sendJson(response, 415, wrongContentType());
  const bytes = await readBody(request);
  if (bytes === null) return refuse(response, 413, `At most ${LARGEST_BODY} bytes`, { Connection: 'close' });
  let body;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return sendJson(response, 200, parseError());
  }
  if (isSimple(body)) return sendJson(response, ...(await simple(body)));
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const result = await call(body, { version, signal: gone.signal });
  if (result[Symbol.asyncIterator] === undefined) return sendJson(response, 200, result);
  await sendEvents(response, result);
}

/** The whole body, or null where it is too large. */
function readBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let size = 0;
    request.on('data', (chunk) => {
      size += chunk.length;
      if (size > LARGEST_BODY) resolve(null);
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

/** In constant time, so that the token cannot be guessed letter by letter. */
function isAllowed(header = '') {
  if (token === '') return true;
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(header), digest(`Bearer ${token}`));
}

async function sendEvents(response, events) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
  // Proxies close what is silent for long. A comment is ignored by whoever reads events.
  const beat = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
  try {
    for await (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  } catch (thrown) {
    if (thrown.name !== 'AbortError') throw thrown; // the caller is gone; the task goes on
  } finally {
    clearInterval(beat);
    response.end();
  }
}

const refuse = (response, status, error, headers) => sendJson(response, status, { error }, headers);
const sendJson = (response, status, value, headers) =>
  sendText(response, status, JSON.stringify(value), headers);

function sendText(response, status, text, headers = {}) {
  const type = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, { ...type, ...headers }).end(text);
}

const server = createServer((request, response) => {
  handle(request, response).catch((thrown) => {
    console.error(thrown);
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, internalError());
  });
});
server.headersTimeout = 10_000;
server.requestTimeout = 30_000;
server.listen(port, host, () => console.log(`Listening on http://${host}:${server.address().port}/`));

// What runs is ended, its callers are answered, and then the program ends.
for (const name of ['SIGTERM', 'SIGINT'])
  process.once(name, () => {
    server.close(() => process.exit(0));
    stopping.abort();
    stopTasks();
    // Node 18 keeps a connection that falls idle after this moment.
    setInterval(() => server.closeIdleConnections(), 50);
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
