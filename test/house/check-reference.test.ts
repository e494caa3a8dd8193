import { expect, it } from 'vitest';
import { pageAt } from '../../scripts/documents/pages.ts';
import { rules } from '../../src/check/rules.ts';

it('the checklist for agents has every rule that agents are checked by, and no other', () => {
  const { text } = pageAt('docs/how-to/check-an-agent.md');
  const [, checklist = ''] = text.split('\n## The checklist\n');
  const groups = [...checklist.matchAll(/\((`[a-z0-9-]+`(?:,\s+`[a-z0-9-]+`)*)\)/g)].map(
    ([, group = '']) => group,
  );
  const named = groups.flatMap((group) => [...group.matchAll(/`([^`]+)`/g)].map(([, rule]) => rule));
  expect(named.toSorted()).toEqual(Object.keys(rules).toSorted());
});
