// Measures how warm it is in a place, which takes a moment, and counts how many it is asked for at the same time.
import { createInterface } from 'node:readline';

const degrees = { Oslo: 4, Bergen: 7, Rome: 18, Milan: 15, Cairo: 29, Giza: 30, Lima: 19, Quito: 16 };
let running = 0;

const methods = {
  measure: async ({ place }) => {
    running++;
    const at_once = running;
    await new Promise((resolve) => setTimeout(resolve, 50));
    running--;
    return { degrees: degrees[place], at_once };
  },
  mean: ({ degrees }) => ({ degrees: degrees.reduce((sum, each) => sum + each, 0) / degrees.length }),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: await methods[method](params) }));
});
