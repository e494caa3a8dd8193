import { describe, expect, it } from 'vitest';
import type { Progress } from '../core/ports/provider.ts';
import { reportWithout } from './quiet-report.ts';

function told(secrets: readonly string[], ...reports: readonly Progress[]): Progress[] {
  const all: Progress[] = [];
  const report = reportWithout(
    (one) => all.push(one),
    () => secrets,
  );
  for (const one of reports) report(one);
  return all;
}

describe('reports of a service that knows secrets', () => {
  it('do not show them, in one piece or in several', () => {
    expect(
      told(
        ['sk-12345678'],
        { message: 'uses sk-12345678', progress: 1 },
        { text: 'key sk-12' },
        { text: '345678!' },
      ),
    ).toEqual([{ progress: 1, message: 'uses [secret]' }, { text: 'key ' }, { text: '[secret]!' }]);
  });

  it('are handed on as they are where there are none', () => {
    const report = { progress: 1, total: 2, message: 'm', text: 't\u0000' };
    expect(told([], report)).toEqual([report]);
  });
});
