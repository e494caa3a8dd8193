/** Submits a run, follows its events, takes its results, and finds them right. */
import assert from 'node:assert/strict';
import { connect } from '../../src/sdk/index.ts'; // in an installation: 'gleitzeit/sdk'

const client = connect({ url: process.env['GLEITZEIT_SERVER_URL'] ?? 'http://127.0.0.1:8000' });

const { workflow_id, tasks } = await client.call('workflow.submit', {
  workflow: {
    name: 'count words',
    tasks: [
      { id: 'count', protocol: 'words/v1', method: 'count', params: { text: '${workflow.input.text}' } },
      {
        id: 'report',
        protocol: 'words/v1',
        method: 'report',
        params: { text: '${workflow.input.text}', words: '${count.result.words}' },
      },
    ],
  },
  input: { text: 'durable workflows over any agent' },
});

const shortIds = new Map(Object.entries(tasks).map(([id, task_id]) => [task_id, id]));
const told: string[] = [];
for await (const { event, task_id } of client.events({ workflow_id, events: shown(), cursor: 0 })) {
  told.push([event, shortIds.get(task_id ?? '')].join(' ').trim());
  console.log(told.at(-1));
  if (event === 'workflow:completed') break;
}

const { status, results } = await client.runResults(workflow_id);
client.close();

const text = '"durable workflows over any agent" has 5 words';
assert.deepEqual(
  { status, results },
  { status: 'completed', results: { count: { words: 5 }, report: { text } } },
);
assert.equal(told.length, 7);
console.log(text);

/** A misspelt name would be an error in the editor. */
function shown() {
  return ['workflow:started', 'task:queued', 'task:waiting', 'task:completed', 'workflow:completed'] as const;
}
