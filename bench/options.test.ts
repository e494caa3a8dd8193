import { describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';
import { WORKLOADS } from './workloads.ts';

const idsOf = (...args: string[]) => readOptions(args).workloads.map(({ id }) => id);

describe('readOptions', () => {
  it('takes every workload, ours alone and both stores unless told', () => {
    const options = readOptions([]);
    expect(options).toMatchObject({ systems: ['gleitzeit'], stores: ['sqlite', 'postgres'], quick: false });
    expect(options.workloads).toBe(WORKLOADS);
  });

  it('takes the workloads that are named', () => {
    expect(idsOf('--only', 'W10')).toEqual(['W10']);
    expect(idsOf('--only', 'subscribers,W4')).toEqual(['subscribers', 'W4']);
    expect(() => readOptions(['--only', 'W99'])).toThrow('unknown workload W99; there are W1, ');
  });

  it('means all peers by --peers without names', () => {
    expect(readOptions(['--peers', '--quick']).systems).toContain('restate');
    expect(readOptions(['--peers', 'bullmq', '--peers-only']).systems).toEqual(['bullmq']);
  });
});
