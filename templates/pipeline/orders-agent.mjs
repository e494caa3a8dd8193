// One JSON-RPC request a line on standard input, one answer a line on standard output; several may be under way.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

let asked = 0;

const methods = {
  load: async () => {
    await sleep(100);
    return {
      orders: [
        { customer: 'Ada', cents: 1200 },
        { customer: 'Grace', cents: 5400 },
        { customer: 'Alan', cents: 300 },
      ],
    };
  },
  total: ({ orders }) => ({ cents: orders.reduce((sum, { cents }) => sum + cents, 0) }),
  largest: ({ orders }) => ({ customer: orders.toSorted((a, b) => b.cents - a.cents)[0].customer }),
  rate: async () => {
    await sleep(50);
    if (++asked === 1) throw new Error('the service is busy');
    return { rate: 1.08 };
  },
  report: ({ cents, customer, rate }) => ({
    text: `${((cents / 100) * rate).toFixed(2)} USD in all, most of it from ${customer}`,
  }),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = await answerTo(method, params);
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
});

async function answerTo(method, params) {
  if (!Object.hasOwn(methods, method)) return { error: { code: -32601, message: `no method "${method}"` } };
  try {
    return { result: await methods[method](params) };
  } catch (error) {
    return { error: { code: -32603, message: error.message } };
  }
}
