import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../problems.ts';
import { readWorkflow } from './read.ts';
import { withTables, workflowFileTables } from './reference.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'workflow-files.md'), 'utf8');

describe('docs/reference/workflow-files.md', () => {
  it('has the tables that the schema gives; `node scripts/workflow-reference.ts` writes them', () => {
    expect(page).toBe(withTables(page));
    for (const name of Object.keys(workflowFileTables())) expect(page).toContain(`<!-- table: ${name} -->`);
  });

  it('has examples that are files without a mistake', () => {
    const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    expect(examples.length).toBe(2);
    for (const text of examples) {
      const { notes } = readWorkflow(text, { file: 'example.yaml', list: () => ['a.txt'] });
      expect(notes).toEqual([]);
    }
  });

  it('shows a mistake as it is told', () => {
    const text = 'name: x\ntasks:\n  - id: a\n    protocol: p/v1\n    method: m\n    timeout: 3 days\n';
    try {
      readWorkflow(text, { file: 'wf.yaml' });
      expect.unreachable();
    } catch (thrown) {
      const [problem] = problemsOf(thrown);
      expect(page).toContain(
        `wf.yaml:${problem?.line}:${problem?.column}  error  ${problem?.code}  ${problem?.path}: ${problem?.message}`,
      );
      expect(page).toContain(`hint: ${problem?.hint}`);
    }
  });
});
