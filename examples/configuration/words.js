// The provider `words` of gleitzeit.yaml: one JSON-RPC request a line on standard input, one answer a line on output.
import { createInterface } from 'node:readline';

const methods = {
  count: ({ text }) => ({ words: text.split(/\s+/).filter(Boolean).length }),
  shout: ({ text }) => ({ text: text.toUpperCase() }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const known = Object.hasOwn(methods, method);
  const answer = known
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: 'Method not found' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
