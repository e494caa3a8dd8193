import { describe, expect, it } from 'vitest';
import { startPython, startSdk1, startSdk03 } from '../a2a/real.ts';
import { checked } from './checked.ts';

// Agents made with the SDKs of A2A differ from what it asks for in small things, and nothing keeps them from being called.
describe('a check finds no error in agents of', () => {
  it.each([
    ['@a2a-js/sdk 0.3', () => startSdk03(), ['a2a-0.3']],
    ['@a2a-js/sdk 1', () => startSdk1('1.0'), ['a2a-1.0']],
    ['@a2a-js/sdk 1 with both versions', () => startSdk1('both'), ['a2a-1.0', 'a2a-0.3']],
    ['a2a-sdk for Python', startPython, ['a2a-1.0', 'a2a-0.3']],
  ] as const)('%s', async (_name, start, speaks) => {
    const agent = await start();
    const report = await checked(agent.url, { protocol: 'a2a' });
    await agent.end('SIGKILL');
    expect(report.findings.filter(({ level }) => level === 'error')).toEqual([]);
    expect(report.speaks).toEqual(speaks);
  });
});
