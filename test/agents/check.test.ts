import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrokenAgent, startBrokenAgent } from './broken-agent.ts';
import { checked } from './checked.ts';
import { faults, faultsOfSimple } from './faults/index.ts';
import { languages, startAgent } from './start.ts';

let broken: BrokenAgent;

beforeAll(async () => {
  broken = await startBrokenAgent();
});

afterAll(() => broken.stop());

/** Those in which nothing comes, and the check has to give up waiting. */
const silent = ['no-answer', 'stream-never-ends'];

describe('a check of an agent', () => {
  it('knows at least 25 kinds of faults, each by its own name', () => {
    expect(faults.length).toBeGreaterThanOrEqual(25);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
  });

  it('finds nothing where there is no fault', async () => {
    broken.have(null);
    const report = await checked(broken.url);
    expect(report.findings).toEqual([]);
    expect(report.speaks).toEqual(['a2a-1.0', 'a2a-0.3', 'simple-a2a']);
  });

  it.each(faults)('finds $name: $about', async (fault) => {
    broken.have(fault);
    const protocol = faultsOfSimple.includes(fault) ? 'simple-a2a' : 'a2a';
    const timeout_ms = silent.includes(fault.name) ? 1_000 : 10_000;
    const { findings } = await checked(broken.url, { protocol, timeout_ms });
    expect(findings.map(({ rule }) => rule)).toContain(fault.rule);
    for (const { message, sent, came, expected, clause, hint } of findings)
      for (const text of [message, sent, came, expected, clause, hint]) expect(text).not.toBe('');
  });

  it.each(languages)('finds nothing in the sample agent in %s', async (language) => {
    const agent = await startAgent(language);
    const report = await checked(agent.url);
    expect(report.findings).toEqual([]);
    expect(report.speaks).toEqual(['a2a-1.0', 'a2a-0.3', 'simple-a2a']);
    await agent.stop();
  });
});
