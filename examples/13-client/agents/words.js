// One JSON-RPC request a line on standard input, one answer a line on standard output.
import { createInterface } from 'node:readline';

const methods = {
  count: ({ text }) => ({ words: text.split(/\s+/).length }),
  report: ({ text, words }) => ({ text: `"${text}" has ${words} words` }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `there is no method ${method}` } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
