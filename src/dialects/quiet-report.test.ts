import { expect, it } from 'vitest';
import type { Progress, ReportSource } from '../core/ports/provider.ts';
import { reportWithout } from './quiet-report.ts';

it('reports of a service come with what it was told in confidence until then', () => {
  const heard: [Progress, ReportSource | undefined][] = [];
  const told: string[] = [];
  const report = reportWithout(
    (...one) => heard.push(one as [Progress, ReportSource]),
    () => told,
  );
  report({ progress: 1 });
  report({ text: 't\u0000' });
  told.push('sk-12345678');
  expect(heard.map(([progress]) => progress)).toEqual([{ progress: 1 }, { text: 't\u0000' }]);
  expect(heard.map(([, from]) => from?.secrets?.())).toEqual([['sk-12345678'], ['sk-12345678']]);
});
