// One JSON-RPC request a line on standard input, one answer a line on standard output.
import { createInterface } from 'node:readline';

const methods = {
  greet: ({ name }) => ({ text: `Hello, ${name}, nice to see you.` }),
  count: ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
  shout: ({ text }) => ({ text: text.toUpperCase() }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `no method "${method}"` } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
