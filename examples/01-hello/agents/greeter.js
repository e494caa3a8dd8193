// An agent: one JSON-RPC request a line on standard input, one answer a line on standard output.
import { createInterface } from 'node:readline';

for await (const line of createInterface({ input: process.stdin })) {
  const { id, params } = JSON.parse(line);
  const result = { text: `Hello, ${params.name}!` };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
}
