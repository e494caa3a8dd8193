// A shop whose warehouse is out of order twice, and whose courier takes its time. Each answer is also written to
// deliveries.log, so that one can see what was really done.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const LOG = 'deliveries.log';
const done = () => (existsSync(LOG) ? readFileSync(LOG, 'utf8').split('\n') : []);

const methods = {
  order: ({ item }) => ({ order: `order of ${item}` }),
  // A task that is tried again comes with the same id.
  pack: ({ order }, id) => {
    const tries = done().filter((line) => line === `pack failed ${id}`).length;
    if (tries < 2) throw new Error(`the warehouse is out of order (${tries + 1})`);
    return { parcel: `parcel with ${order}` };
  },
  deliver: async ({ parcel, seconds }) => {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return { delivered: parcel };
  },
  bill: ({ delivered }) => ({ text: `Paid: ${delivered}` }),
};

async function answerTo({ id, method, params }) {
  try {
    const result = await methods[method](params, id);
    appendFileSync(LOG, `${method} done ${id}\n`);
    return { result };
  } catch (error) {
    appendFileSync(LOG, `${method} failed ${id}\n`);
    return { error: { code: -32000, message: error.message } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const answer = await answerTo(request);
  console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer }));
}
