import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modern, type Script, startScripted, withSessions } from '../../src/dialects/mcp/scripted.suite.ts';
import { startService } from '../../src/dialects/rest/peer.suite.ts';
import { echoProtocol, settledTask, submitEcho } from './echo.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
const ends: (() => Promise<void>)[] = [];

beforeEach(() => {
  scene = openScene();
});
afterEach(async () => {
  await scene.close();
  for (const end of ends.splice(0)) await end();
});

/** A service that takes jobs and does them after a while. */
type Peer = {
  readonly provider: object;
  /** A job has been asked for: the engine is in the middle of it. */
  readonly asked: Promise<void>;
  finish(): void;
  readonly submits: () => number;
};

async function restPeer(): Promise<Peer> {
  const asked = Promise.withResolvers<void>();
  let ready = false;
  const service = await startService(({ method }) => {
    if (method === 'POST') return { status: 202, json: { id: 'j1', status: 'queued' } };
    asked.resolve();
    return { json: ready ? { status: 'done', text: 'said so' } : { status: 'running' } };
  });
  ends.push(service.stop);
  const poll = { path: '/jobs/${answer.id}', until: { at: '/status', is: 'done' }, interval: 0.05 };
  const say = { path: '/jobs', body: '${params}', poll, result: '/text' };
  return {
    provider: { type: 'rest', config: { url: service.url, methods: { say } } },
    asked: asked.promise,
    finish: () => {
      ready = true;
    },
    submits: () => service.seen.filter(({ method }) => method === 'POST').length,
  };
}

async function mcpPeer(generation: 'extension' | 'experiment'): Promise<Peer> {
  const asked = Promise.withResolvers<void>();
  let status = 'working';
  const result = { content: [{ type: 'text', text: 'said so' }] };
  const script: Script = (generation === 'extension' ? modern : withSessions)((turn) => {
    const ended = status === 'completed' && generation === 'extension' ? { result } : {};
    const task = { taskId: 't1', status, pollInterval: 50, pollIntervalMs: 50, ...ended };
    if (turn.method === 'tools/call')
      turn.result(generation === 'extension' ? { resultType: 'task', ...task } : { task });
    else if (turn.method === 'tasks/get') {
      asked.resolve();
      turn.result(task);
    } else if (turn.method === 'tasks/result') turn.result(result);
    else return false;
    return true;
  });
  const server = await startScripted(script);
  ends.push(server.stop);
  return {
    provider: { type: 'mcp-http', config: { url: server.url } },
    asked: asked.promise,
    finish: () => {
      status = 'completed';
    },
    submits: () => server.methods().filter((method) => method === 'tools/call').length,
  };
}

const peers: Readonly<Record<string, () => Promise<Peer>>> = {
  'a job over HTTP': restPeer,
  'a task of an MCP server': () => mcpPeer('extension'),
  'a task of an MCP server of 2025': () => mcpPeer('experiment'),
};

const signals = ['SIGKILL', 'SIGTERM'] as const;

describe('what a service works on is begun once, whichever way the server ends that asks for it', () => {
  describe.each(Object.entries(peers))('%s', (_, open) => {
    it.each(signals)('ended by %s', async (signal) => {
      const peer = await open();
      const engine = { stop_timeout: '100ms' };
      const config = {
        server: { port: 0 },
        engine,
        protocols: [{ ...echoProtocol, providers: [peer.provider] }],
      };
      const first = await scene.serve(config);
      const task_id = await submitEcho(first.url, 'hello');
      await peer.asked;
      first.signal(signal);
      await first.ended;

      peer.finish();
      const second = await scene.serve(config);
      expect(await settledTask(second.url, task_id)).toMatchObject({
        status: 'completed',
        result: 'said so',
      });
      expect(peer.submits()).toBe(1);
    });
  });
});
