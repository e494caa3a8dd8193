import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { projectRoot } from '../../scripts/source/files.ts';
import { type Agent, startAgent } from '../server/agent.ts';
import { echoProtocols } from '../server/echo.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';

/** A server with one agent that repeats what it is told, and fails where it is told to. */
export type CliHouse = {
  readonly scene: Scene;
  readonly server: Server;
  readonly agent: Agent;
  close(): Promise<void>;
};

export async function openCliHouse(server: object = {}): Promise<CliHouse> {
  const scene = openScene();
  const agent = await startAgent(async ({ params }) => {
    // Whoever looks whether it is there says nothing.
    const { text = '' } = (params ?? {}) as { text?: string };
    if (text.startsWith('fail')) return { error: { code: -32602, message: `told to ${text}` } };
    return { result: { text } };
  });
  const started = await scene.serve({
    server: { port: 0, ...server },
    store: { type: 'sqlite', path: 'store.db' },
    protocols: echoProtocols({ 'echo-1': { url: agent.url } }),
  });
  return {
    scene,
    server: started,
    agent,
    close: async () => {
      await scene.close();
      await agent.close();
    },
  };
}

const published = JSON.parse(readFileSync(join(projectRoot, 'schemas', 'output.json'), 'utf8')) as object;
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (on: Ajv2020) => void)(ajv);
ajv.addSchema(published, 'output.json');

/** What is wrong with what a command printed, by the published schema; empty where nothing is. */
export function misfits(name: string, value: unknown): string[] {
  const check = ajv.getSchema(`output.json#/$defs/${name}`);
  if (check === undefined) return [`there is no schema ${name}`];
  check(value);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
