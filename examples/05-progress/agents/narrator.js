// Tells a story word by word, and says how far it is: a notification `progress` with the id of the call, before the answer.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));

const methods = {
  async tell({ about, pause_ms }, report) {
    const story =
      `Once upon a time there was ${about}.\n` +
      'It went to the well every day,\nand one day the well was dry.\nSo it dug, and there was water again.\n';
    const words = story.match(/\S+\s+/g) ?? [];
    for (const [index, text] of words.entries()) {
      await sleep(pause_ms);
      const message = index < words.length / 2 ? 'begins' : 'comes to an end';
      report({ progress: index + 1, total: words.length, message, text });
    }
    return { story };
  },
  count: ({ story }) => ({ words: story.trim().split(/\s+/).length }),
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  const report = (told) => say({ method: 'progress', params: { id, ...told } });
  say({ id, result: await methods[method](params, report) });
});
