import { globSync } from 'node:fs';
import { type Mutation, mutated, mutations, testOf } from './mutation/acceptance.ts';
import { openWorkshop, type Workshop } from './mutation/workshop.ts';
import { projectRoot } from './source/files.ts';

/** Takes away what single acceptance criteria rest on, in a copy, and demands that the test of each turns red. */

const LIMIT_MS = 120_000;
const workers = 2;

/** Those of the criteria, which begin with the number of their requirement. */
const TESTS = 'test/acceptance/[0-9]*.test.ts';
const files = globSync(TESTS, { cwd: projectRoot });
const queue = [...mutations];
const survivors: Mutation[] = [];
const workshops = Array.from({ length: workers }, () => openWorkshop(TESTS));
try {
  const [first] = workshops;
  const outcome = await first?.test(files, LIMIT_MS * 3);
  if (outcome !== 'passed')
    throw new Error(`The acceptance tests ${outcome} without any mutation; mend them first.`);
  await Promise.all(workshops.map(work));
} finally {
  for (const workshop of workshops) workshop.close();
}
console.log(
  `${mutations.length - survivors.length} of ${mutations.length} mutations turned their criterion red`,
);
process.exitCode = survivors.length === 0 ? 0 : 1;

async function work(workshop: Workshop): Promise<void> {
  for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
    const { criterion, path, before, after } = mutation;
    // The whole title begins with the requirement's; the criterion follows it.
    const only = ['--testNamePattern', ` ${criterion.replace('.', '\\.')} `];
    const outcome = await workshop.test(
      [testOf(criterion, files) ?? '', ...only],
      LIMIT_MS,
      mutated(mutation),
    );
    const green = outcome === 'passed';
    if (green) survivors.push(mutation);
    console.log(
      `${green ? 'GREEN' : 'red  '} ${criterion.padEnd(5)} ${path}: ${before} → ${after || '(nothing)'}`,
    );
  }
}
