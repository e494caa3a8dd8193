import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { type CliHouse, openCliHouse } from './house.ts';

let house: CliHouse;
let agent: Server;

/** Says it louder, in simple A2A. */
beforeAll(async () => {
  house = await openCliHouse({ keys: [] });
  agent = createServer(async (request, response) => {
    const { task_id, input } = (await json(request)) as { task_id: string; input: { text: string } };
    const output = { text: input.text.toUpperCase() };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ task_id, status: 'success', output, error: null }));
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
  await asked('agent', 'add', 'Loud Agent', '--url', url);
});
afterAll(async () => {
  await house.close();
  agent.close();
  agent.closeAllConnections();
});

const asked = (...argv: readonly string[]) => {
  const { folder } = house.scene;
  return play([...argv, '--server', house.server.url], { cwd: folder, env: { HOME: folder } });
};

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(house.scene.folder, name), text);
  return name;
}

const good = `name: shout
tasks:
  - {id: one, agent: Loud Agent, input: "good \${workflow.input.what}"}
  - {id: two, agent: Loud Agent, input: {text: "\${one.text} again"}}
`;

describe('tasks that name an agent, from a file', () => {
  it('are run by that agent', async () => {
    const { status, out } = await asked(
      'run',
      await file('good.yaml', good),
      '--input',
      'what=morning',
      '-o',
      'json',
    );
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      results: { one: { text: 'GOOD MORNING' }, two: { text: 'GOOD MORNING AGAIN' } },
    });
  });

  it('are found right, planned and drawn with their agents', async () => {
    const named = await file('good.yaml', good);
    expect((await asked('validate', named)).status).toBe(0);
    const plan = JSON.parse((await asked('plan', named, '-o', 'json')).out);
    expect(plan.tasks).toMatchObject([
      { id: 'one', agent: 'Loud Agent', providers: ['agent:Loud Agent'] },
      { id: 'two', agent: 'Loud Agent' },
    ]);
    expect((await asked('graph', named)).out).toContain('agent Loud Agent');
  });

  it.each(['validate', 'plan', 'run', 'submit'])(
    'are refused by %s at their place where nobody has that name',
    async (command) => {
      const { status, out, err } = await asked(
        command,
        await file('bad.yaml', good.replace('two, agent: Loud Agent', 'two, agent: Loud Agnet')),
      );
      expect(status).not.toBe(0);
      const said = out + err;
      expect(said).toContain('bad.yaml:4:22');
      expect(said).toContain('no agent is called "Loud Agnet"');
      expect(said).toContain('did you mean "Loud Agent"?');
      expect(said).toContain('GLZ1014');
    },
  );
});
