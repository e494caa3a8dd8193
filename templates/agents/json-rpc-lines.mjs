/** JSON-RPC 2.0, one message a line: all that an agent needs. What is written to stderr is shown in the log. */
import { createInterface } from 'node:readline';

/** `methods`: name → function of the params. */
export function serve(methods) {
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const answer = await answerTo(line, methods);
    if (answer !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`);
  });
}

async function answerTo(line, methods) {
  let id = null;
  try {
    const message = JSON.parse(line);
    if (message.id === undefined) return undefined;
    id = message.id;
    if (!Object.hasOwn(methods, message.method))
      return { id, error: { code: -32601, message: `no method "${message.method}"` } };
    return { id, result: await methods[message.method](message.params ?? {}) };
  } catch (error) {
    return { id, error: { code: error instanceof SyntaxError ? -32700 : -32603, message: error.message } };
  }
}
