import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGleitzeit, protocol } from '../src/index.ts';

const text = protocol({
  name: 'text/v1',
  methods: {
    shout: {
      params: { text: { type: 'string', required: true } },
      returns: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-example-'));
const gleitzeit = await createGleitzeit({
  store: { type: 'sqlite', path: join(folder, 'store.db') },
  protocols: [text],
  providers: [
    { id: 'local', protocol: 'text/v1', methods: { shout: ({ text }) => ({ text: text.toUpperCase() }) } },
  ],
});

const { workflow_id } = await gleitzeit.submitWorkflow(
  {
    name: 'greeting',
    tasks: [
      { id: 'first', protocol: 'text/v1', method: 'shout', params: { text: '${workflow.input.text}' } },
      { id: 'second', protocol: 'text/v1', method: 'shout', params: { text: '${first.result.text}!' } },
    ],
  },
  { input: { text: 'hello' } },
);
const answer = await gleitzeit.results(workflow_id, { wait: 5000 });
await gleitzeit.stop();
rmSync(folder, { recursive: true, force: true });

assert.deepEqual(answer, {
  workflow_id,
  status: 'completed',
  results: { first: { text: 'HELLO' }, second: { text: 'HELLO!' } },
});
console.log(answer.results);
