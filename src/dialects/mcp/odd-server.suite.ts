import { createInterface } from 'node:readline';

/** MCP servers over standard input and output that do not expect to be asked what they are. */
const [, , habit] = process.argv;
let begun = false;

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const say = (result: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
  if (method === 'initialize') {
    begun = true;
    say({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    });
    return;
  }
  if (!begun) {
    if (habit === 'exits') process.exit(1);
    // Whoever was asked too early stays confused.
    if (habit === 'confused') process.stdin.pause();
    return;
  }
  if (method === 'tools/list') say({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  if (method === 'notifications/cancelled') process.stderr.write(`cancelled ${params.requestId}\n`);
  if (method !== 'tools/call') return;
  if (params.name === 'echo') say({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] });
  // Prints something that is no message, and never answers.
  else process.stdout.write('thinking …\n');
});
