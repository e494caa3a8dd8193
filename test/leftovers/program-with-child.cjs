/*
 * An agent over stdio that has a program of its own running; it speaks MCP too. Started with `once` it answers one call and
 * ends without its child. A stubborn one does not go when it is asked to. The child of a detached one leads a session of its
 * own, as a browser does; that of an orphaning one does too, and whoever started it has ended.
 */
const { spawn } = require('node:child_process');
const { createInterface } = require('node:readline');

const [kind, role] = process.argv.slice(2);
if (kind.startsWith('stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 60_000);
}
const serverInfo = { name: 'leftovers', version: '1' };
const inMcp = new Map([
  ['initialize', { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }],
  ['tools/list', { tools: [{ name: 'say', inputSchema: { type: 'object' } }] }],
  ['tools/call', { content: [{ type: 'text', text: 'over MCP' }] }],
]);
const error = { code: -32601, message: 'no such method' };

if (role === 'child') {
  setInterval(() => {}, 60_000);
  process.stdout.write('ready\n');
} else if (role === 'between') {
  spawn(process.execPath, [__filename, kind, 'child'], {
    stdio: ['ignore', 'inherit', 'ignore'],
    detached: true,
  });
  process.exit(0);
} else {
  const orphaning = kind.endsWith('orphaning');
  const args = [__filename, kind, orphaning ? 'between' : 'child'];
  const detached = orphaning || kind.endsWith('detached');
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], detached });
  const answer = (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    const { text } = params.arguments ?? params;
    if (id === undefined) return;
    const result = method === 'say' ? 'over stdio' : inMcp.get(method);
    if (text === 'hang') console.error('holding a call');
    else
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }));
  };
  const answerOnce = (line) => {
    if (JSON.parse(line).text === 'hang') console.error('holding a program');
    else process.stdout.write('"once"', () => process.exit(0));
  };
  const told = role === 'once' ? answerOnce : answer;
  child.stdout.once('data', () => createInterface({ input: process.stdin }).on('line', told));
}
