/**
 * JSON-RPC 2.0 over stdin and stdout, one message a line: all that an agent started by Gleitzeit needs. What is
 * written to stderr ends up in Gleitzeit's log.
 */
import { createInterface } from 'node:readline';

/** `methods`: name → function of the params. */
export function serve(methods) {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
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
    if (!Object.hasOwn(methods, message.method)) {
      return { id, error: { code: -32601, message: `no method "${message.method}"` } };
    }
    return { id, result: await methods[message.method](message.params ?? {}) };
  } catch (error) {
    return { id, error: { code: error instanceof SyntaxError ? -32700 : -32603, message: error.message } };
  }
}
