import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { type CliHouse, misfits, openCliHouse } from '../cli/house.ts';
import { freePort } from '../services/free-port.ts';
import { type BrokenAgent, startBrokenAgent } from './broken-agent.ts';
import { faults } from './faults/index.ts';
import { type SampleAgent, startAgent } from './start.ts';

let good: SampleAgent;
let broken: BrokenAgent;
let guarded: SampleAgent;
let house: CliHouse;

beforeAll(async () => {
  good = await startAgent('node');
  guarded = await startAgent('python', { TOKEN: 'open-sesame-7' });
  broken = await startBrokenAgent();
  broken.have(faults.find(({ name }) => name === 'answer-without-id') ?? null);
  house = await openCliHouse({ keys: [] });
});

afterAll(async () => {
  await house.close();
  await Promise.all([good.stop(), guarded.stop(), broken.stop()]);
});

const asked = (argv: readonly string[], env: Record<string, string> = {}) => {
  const { folder } = house.scene;
  const surroundings = { GLEITZEIT_SERVER_URL: house.server.url, HOME: folder, ...env };
  return play(['agent', 'check', ...argv], { cwd: folder, env: surroundings });
};

const register = (entry: object) =>
  play(['api', 'agent.create', JSON.stringify(entry)], { env: { GLEITZEIT_SERVER_URL: house.server.url } });

describe('gleitzeit agent check', () => {
  it('ends with 0 where nothing is found', async () => {
    const { status, out } = await asked([good.url]);
    expect(out).toBe(`✓ ${good.url} speaks a2a-1.0, a2a-0.3, simple-a2a\nNothing was found.\n`);
    expect(status).toBe(0);
  });

  it('ends with 1 and says what was sent, what came, what was expected, where that is written and what to do', async () => {
    const { status, out } = await asked([broken.url, '--protocol', 'a2a']);
    expect(status).toBe(1);
    expect(out).toContain('✗ error  answer-id  a2a-0.3  Its answer has no id.');
    for (const label of ['sent', 'came', 'expected', 'clause', 'do']) expect(out).toMatch(`\n  ${label} `);
    expect(out).toContain('JSON-RPC 2.0 §5');
  });

  it('prints JSON as its schema says', async () => {
    const { out } = await asked([broken.url, '-o', 'json']);
    expect(misfits('agent_checked', JSON.parse(out))).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({ well: false, agents: [{ name: null, problem: null }] });
  });

  it('shows a token out of a variable, and never in what it prints', async () => {
    const { status, out } = await asked([guarded.url, '--token-env', 'TOKEN'], { TOKEN: 'open-sesame-7' });
    expect([status, out]).toEqual([0, expect.stringContaining('Nothing was found.')]);
    const header = { HEADER: 'Authorization: Bearer open-sesame-7' };
    expect((await asked([guarded.url, '--header-env', 'HEADER'], header)).status).toBe(0);
    const wrong = await asked([guarded.url, '--token-env', 'TOKEN'], { TOKEN: 'close-sesame-8' });
    expect(wrong.status).toBe(1);
    expect(wrong.out + wrong.err).not.toContain('close-sesame-8');
  });

  it('ends with 3 where nobody listens', async () => {
    const { status, err } = await asked([`http://127.0.0.1:${await freePort()}/`]);
    expect([status, err]).toEqual([3, expect.stringContaining('nothing listens there')]);
  });

  it('wants an agent or --all, a variable that is there, and a header that is one', async () => {
    for (const argv of [[], [good.url, '--all'], [good.url, '--token-env', 'NONE'], ['http://[']])
      expect((await asked(argv)).status).toBe(2);
    expect((await asked([good.url, '--header-env', 'X'], { X: 'no header' })).status).toBe(2);
  });

  it('checks every registered agent with the credentials of its entry', async () => {
    await register({ name: 'Good', url: good.url, protocol: 'jsonrpc-2.0' });
    await register({
      ...{ name: 'Guarded', url: guarded.url, protocol: 'simple-a2a' },
      auth_config: { type: 'bearer', token: 'open-sesame-7' },
    });
    const well = await asked(['--all', '-o', 'json']);
    expect(JSON.parse(well.out)).toMatchObject({
      well: true,
      agents: [
        { name: 'Good', speaks: ['a2a-1.0', 'a2a-0.3'], findings: [] },
        { name: 'Guarded', speaks: ['simple-a2a'], findings: [] },
      ],
    });
    expect(well.status).toBe(0);
    await register({ name: 'Gone', url: `http://127.0.0.1:${await freePort()}/`, protocol: 'auto' });
    await register({ name: 'Other', url: 'http://127.0.0.1:1/', protocol: 'jsonrpc' });
    const all = await asked(['--all', '-o', 'json']);
    expect(all.status).toBe(1);
    const { agents } = JSON.parse(all.out) as { agents: { name: string; problem: string | null }[] };
    expect(agents.map(({ name, problem }) => [name, problem === null])).toEqual([
      ['Gone', false],
      ['Good', true],
      ['Guarded', true],
      ['Other', false],
    ]);
    expect(all.out + all.err).not.toContain('open-sesame-7');
    expect((await asked(['Good'])).status).toBe(0);
    expect((await asked(['Nobody'])).status).toBe(6);
  });
});
