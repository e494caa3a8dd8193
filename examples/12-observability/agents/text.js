// Small things to do with text. One JSON-RPC request a line on standard input, one answer a line on standard output.
import { createInterface } from 'node:readline';

const words = (text) => text.split(/\s+/).filter(Boolean);

const methods = {
  read: () => ({ text: 'Work that was accepted is finished, whatever is killed.' }),
  count: ({ text }) => ({ words: words(text).length }),
  longest: ({ text }) => ({ word: words(text).sort((a, b) => b.length - a.length)[0] }),
  report: ({ words, longest }) => ({ text: `${words} words, the longest is "${longest}"` }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `there is no method ${method}` } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
