import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../cli/place.ts';
import { published as report } from '../cli/published.ts';
import { pythonWithFastmcp } from '../services/fastmcp.ts';
import { freePort } from '../services/free-port.ts';
import type { Service } from '../services/process.ts';
import { ownServer, published, startEverything } from './real.ts';

const node = process.execPath;
const patient = { retry_config: { max_attempts: 20, backoff: 'fixed', initial_delay: '200ms' } };

let python: string;
beforeAll(async () => {
  python = await pythonWithFastmcp();
}, 600_000);

let place: Place;
const services: Service[] = [];
beforeEach(() => {
  place = openPlace();
});
afterEach(async () => {
  await place.close();
  for (const service of services.splice(0)) await service.end('SIGKILL');
});

/** The steps of the command line's own tests, and providers of `mcp/v1` and others beside them. */
function configure(protocols: (own: object) => object[]): void {
  const path = join(place.folder, 'gleitzeit.yaml');
  const config = JSON.parse(readFileSync(path, 'utf8'));
  place.write('gleitzeit.yaml', { ...config, protocols: protocols(config.protocols[0]) });
}

function everything(config: object) {
  const type = 'url' in config ? 'mcp-http' : 'mcp-server';
  return { name: 'mcp/v1', providers: [{ id: 'everything', type, config }] };
}

const tool = (id: string, name: string, args: object, more: object = {}) => ({
  id,
  protocol: 'mcp/v1',
  method: 'tools/call',
  params: { name, arguments: args },
  ...patient,
  ...more,
});

/** Processes that were started with this word among their arguments. */
function processesWith(word: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function runs(name: string) {
  const { status, stdout, stderr } = await place.run('run', name, '-o', 'json');
  expect(status, stderr).toBe(0);
  return report('run', stdout).results;
}

describe('a workflow over MCP servers', () => {
  it('hands the results of one to the next: files, a graph, tools in Python', async () => {
    const data = join(place.folder, 'data');
    mkdirSync(data);
    writeFileSync(join(data, 'city.txt'), 'Lisbon');
    configure(() => [
      {
        name: 'files/v1',
        methods: { read: {}, write: {} },
        providers: [
          {
            id: 'files',
            type: 'mcp-server',
            config: {
              command: [node, published('server-filesystem'), data],
              tools: { read: 'read_text_file', write: 'write_file' },
            },
          },
        ],
      },
      {
        name: 'cities/v1',
        methods: { describe: {} },
        providers: [
          { id: 'python', type: 'mcp-server', config: { command: [python, ownServer('fastmcp_server.py')] } },
        ],
      },
      {
        name: 'graph/v1',
        methods: { add: {}, read: {} },
        providers: [
          {
            id: 'memory',
            type: 'mcp-server',
            config: {
              command: [node, published('server-memory')],
              env: { MEMORY_FILE_PATH: join(data, 'memory.jsonl') },
              tools: { add: 'create_entities', read: 'read_graph' },
            },
          },
        ],
      },
      everything({ command: [node, published('server-everything'), 'stdio'] }),
    ]);
    const path = join(data, 'city.txt');
    place.write('cities.yaml', {
      name: 'cities',
      tasks: [
        { id: 'read', protocol: 'files/v1', method: 'read', params: { path } },
        {
          id: 'describe',
          protocol: 'cities/v1',
          method: 'describe',
          params: { city: '${read.result.content}' },
        },
        {
          id: 'remember',
          protocol: 'graph/v1',
          method: 'add',
          params: {
            entities: [
              {
                name: '${describe.result.city}',
                entityType: 'city',
                observations: ['${describe.result.length} letters'],
              },
            ],
          },
        },
        { id: 'graph', protocol: 'graph/v1', method: 'read', dependencies: ['remember'] },
        tool('say', 'echo', { message: '${graph.result.entities[0].observations[0]}' }),
      ],
    });
    expect(await runs('cities.yaml')).toMatchObject({
      say: { content: [{ type: 'text', text: 'Echo: 6 letters' }] },
    });
  });

  it('goes on where its server is killed between two calls and during a third', async () => {
    const mark = `mark-${place.folder}`;
    configure((own) => [own, everything({ command: [node, published('server-everything'), 'stdio', mark] })]);
    place.write('killed.yaml', {
      name: 'killed',
      tasks: [
        tool('first', 'echo', { message: 'one' }),
        {
          id: 'gate',
          protocol: 'steps/v1',
          method: 'step',
          params: { step: 'gate', gate: 'open' },
          dependencies: ['first'],
        },
        tool('second', 'echo', { message: 'two' }, { dependencies: ['gate'] }),
        tool(
          'long',
          'trigger-long-running-operation',
          { duration: 2, steps: 20 },
          { dependencies: ['second'] },
        ),
      ],
    });
    const run = place.start('run', 'killed.yaml', '-o', 'json');
    await run.said(/gate: running/);
    const [before] = processesWith(mark);
    process.kill(Number(before), 'SIGKILL');
    writeFileSync(join(place.folder, 'open'), '');
    await run.said(/long: running/);
    const [during] = processesWith(mark);
    expect(during).not.toBe(before);
    process.kill(Number(during), 'SIGKILL');
    expect(await run.ended, run.stderr()).toMatchObject({ status: 0 });
    expect(run.stderr()).toMatch(/long: retrying/);
    expect(processesWith(mark)).toEqual([]);
  });

  it('goes on where a server at an address is killed during a call and comes back', async () => {
    const port = await freePort();
    const first = await startEverything(port, 'streamableHttp');
    services.push(first);
    configure(() => [everything({ url: `http://127.0.0.1:${port}/mcp` })]);
    place.write('killed.yaml', {
      name: 'killed',
      tasks: [
        tool('long', 'trigger-long-running-operation', { duration: 2, steps: 20 }),
        tool('after', 'echo', { message: 'here' }, { dependencies: ['long'] }),
      ],
    });
    const run = place.start('run', 'killed.yaml', '-o', 'json');
    await run.said(/long: running/);
    await first.end('SIGKILL');
    services.push(await startEverything(port, 'streamableHttp'));
    expect(await run.ended, run.stderr()).toMatchObject({ status: 0 });
    expect(run.stderr()).toMatch(/long: retrying/);
  });
});
