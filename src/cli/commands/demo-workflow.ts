import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { protocol } from '../../index.ts';

/** The protocol of the demo: five small steps of a report. */
export const reportProtocol = protocol({
  name: 'report/v1',
  methods: {
    fetch: { params: { topic: { type: 'string', required: true } }, returns: { type: 'object' } },
    count: { params: { text: { type: 'string', required: true } }, returns: { type: 'object' } },
    translate: { params: { text: { type: 'string', required: true } }, returns: { type: 'object' } },
    join: {
      params: { words: { type: 'integer', required: true }, text: { type: 'string', required: true } },
      returns: { type: 'object' },
    },
    publish: { params: { report: { type: 'string', required: true } }, returns: { type: 'object' } },
  },
});

/** A diamond, a step after it, and one task that fails the first time. */
export const reportWorkflow = {
  name: 'report',
  tasks: [
    { id: 'fetch', protocol: 'report/v1', method: 'fetch', params: { topic: '${workflow.input.topic}' } },
    { id: 'count', protocol: 'report/v1', method: 'count', params: { text: '${fetch.result.text}' } },
    {
      id: 'translate',
      protocol: 'report/v1',
      method: 'translate',
      params: { text: '${fetch.result.text}' },
      retry_config: { initial_delay: '400ms', jitter: 0 },
    },
    {
      id: 'join',
      protocol: 'report/v1',
      method: 'join',
      params: { words: '${count.result.words}', text: '${translate.result.text}' },
    },
    { id: 'publish', protocol: 'report/v1', method: 'publish', params: { report: '${join.result.report}' } },
  ],
} as const;

export type Execution = { readonly life: number; readonly method: string };

/** The five functions. Each writes down, outside the engine, that it was called, and takes a moment. */
export function reportMethods(record: { file: string; life: number }) {
  const run = async (method: string, ms: number) => {
    const execution: Execution = { life: record.life, method };
    appendFileSync(record.file, `${JSON.stringify(execution)}\n`);
    await sleep(ms);
  };
  return {
    fetch: async ({ topic }: { topic: string }) => {
      await run('fetch', 300);
      return { text: `Notes on ${topic}: what was accepted is never lost.` };
    },
    count: async ({ text }: { text: string }) => {
      await run('count', 200);
      return { words: text.split(' ').length };
    },
    translate: async ({ text }: { text: string }, { attempt }: { attempt: number }) => {
      await run('translate', 150);
      if (attempt === 1) throw new Error('the service is busy');
      return { text: text.toUpperCase() };
    },
    join: async ({ words, text }: { words: number; text: string }) => {
      await run('join', 250);
      return { report: `${text} (${words} words)` };
    },
    publish: async ({ report }: { report: string }) => {
      await run('publish', 200);
      return { published: true, report };
    },
  };
}
