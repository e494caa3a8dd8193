import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { knownProtocols } from '../../main/protocols.ts';
import { problemsOf } from '../problems.ts';
import { goodWorkflow, layouts } from './damage.suite.ts';
import { readWorkflow } from './read.ts';
import { definitions } from './testing.suite.ts';

const protocols = knownProtocols(definitions);
const list = () => ['a.txt', 'b/${c.result}.txt'];

/** What it comes to: read, or refused with places that are in the text. */
function outcome(text: string): 'read' | 'refused' {
  try {
    readWorkflow(text, { file: 'f', protocols, list });
    return 'read';
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GleitzeitError);
    const problems = problemsOf(thrown);
    expect(problems.length).toBeGreaterThan(0);
    const lines = text.split('\n');
    for (const { line, column } of problems) {
      expect(line).toBeGreaterThanOrEqual(0);
      expect(line).toBeLessThanOrEqual(lines.length);
      if (line > 0) expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
    }
    return 'refused';
  }
}

const words = [
  'id',
  'name',
  'tasks',
  'params',
  'method',
  'protocol',
  'dependencies',
  'template',
  'batch',
  'type',
  'retry',
  'x',
];
const texts = [
  'search',
  'llm/v1',
  'llm/chat',
  'generate',
  '${a.result}',
  '${a.b}',
  '${',
  '$${x}',
  '${file.path}',
  '',
  '30s',
  'batch',
  '*',
];

const { oddJson } = fc.letrec<{ oddJson: Json }>((tie) => ({
  oddJson: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom<Json>(...texts, null, true, 0, 1, -1, 2.5),
    fc.array(tie('oddJson'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...words), tie('oddJson'), { maxKeys: 5 }),
  ) as fc.Arbitrary<Json>,
}));

describe('whatever a file holds', { timeout: 120_000 }, () => {
  it('it is read, or refused with places: odd values', () => {
    const workflow = fc.record({ tasks: fc.array(oddJson, { maxLength: 4 }) });
    fc.assert(
      fc.property(
        fc.oneof(oddJson, workflow as fc.Arbitrary<Json>),
        fc.constantFrom(...layouts),
        (value, { write }) => {
          outcome(write(value));
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('it is read, or refused with places: good files with characters lost, doubled and put in', () => {
    const signs = fc.constantFrom(
      '',
      '',
      '"',
      "'",
      ':',
      '{',
      '}',
      '[',
      ']',
      '\n',
      '  ',
      '${',
      '-',
      '#',
      '&a ',
      '*a',
      '|',
      '>',
      '\t',
      'é',
    );
    fc.assert(
      fc.property(
        goodWorkflow as fc.Arbitrary<JsonObject>,
        fc.constantFrom(...layouts),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), signs), { minLength: 1, maxLength: 3 }),
        (workflow, { write }, edits) => {
          let text = write(workflow);
          for (const [at, gone, put] of edits) {
            const from = at % text.length;
            text = text.slice(0, from) + put + text.slice(from + gone);
          }
          outcome(text);
        },
      ),
      { numRuns: 1500 },
    );
  });
});
