/** An agent that speaks A2A 0.3 and publishes nothing before somebody has allowed it. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const contextId = randomUUID();
const drafts = new Map();

/** What belongs to a question comes with its `taskId`. */
function send({ message }) {
  const said = message.parts.map(({ text }) => text).join('\n');
  if (drafts.has(message.taskId)) return decide(message.taskId, said);
  return said.startsWith('count: ') ? done(randomUUID(), String(said.split(/\s+/).length - 1)) : ask(said);
}

function ask(draft) {
  const id = randomUUID();
  drafts.set(id, draft);
  const parts = [{ kind: 'text', text: `Publish "${draft}"? yes, or what to write instead` }];
  const message = { kind: 'message', role: 'agent', messageId: randomUUID(), parts };
  return { kind: 'task', id, contextId, status: { state: 'input-required', message } };
}

function decide(id, answer) {
  return done(id, answer === 'yes' ? drafts.get(id) : answer);
}

function done(id, text) {
  const artifacts = [{ artifactId: 'result', parts: [{ kind: 'text', text }] }];
  return { kind: 'task', id, contextId, status: { state: 'completed' }, artifacts };
}

const server = createServer(async (request, response) => {
  const reply = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.method !== 'POST') return reply(404, { error: 'there is no card' });
  const { id, method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const known = method === 'message/send';
  const answer = known ? { result: send(params) } : { error: { code: -32601, message: 'Method not found' } };
  reply(200, { jsonrpc: '2.0', id, ...answer });
});
server.listen(Number(process.env.EDITOR_PORT ?? 9208), '127.0.0.1', () => console.log('editor: listens'));
