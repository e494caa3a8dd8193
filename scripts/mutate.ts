import { parseArgs } from 'node:util';
import { choose, type Mutant, mutantsOf } from './mutation/mutants.ts';
import { relatedTests } from './mutation/related.ts';
import { openWorkshop, type Workshop } from './mutation/workshop.ts';
import { isTestFile, sourceFiles } from './source/files.ts';

const required = 90;
const workers = 2;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});

const files = sourceFiles(['src/core']);
const candidates = files
  .filter((file) => !isTestFile(file.path) && file.path.includes(values.only))
  .flatMap(mutantsOf);
const queue = choose(candidates, Number(values.count), Number(values.seed));
const total = queue.length;
const started = performance.now();
const survivors: Mutant[] = [];
const workshops = Array.from({ length: workers }, () => openWorkshop());
try {
  const limit = await timeLimit(workshops[0]);
  console.error(`${total} of ${candidates.length} possible mutants of src/core, seed ${values.seed}`);
  await Promise.all(workshops.map((workshop) => work(workshop, limit)));
} finally {
  for (const workshop of workshops) workshop.close();
}
report();

/** The tests must pass before their failing means anything; a mutant may take a few times as long. */
async function timeLimit(workshop: Workshop | undefined): Promise<number> {
  const start = performance.now();
  const tests = files.filter((file) => file.path.endsWith('.test.ts')).map((file) => file.path);
  const outcome = await workshop?.test(tests, 120_000);
  if (outcome !== 'passed')
    throw new Error(`The tests of src/core ${outcome} without any mutant; mend them first.`);
  return Math.max(10_000, (performance.now() - start) * 4);
}

async function work(workshop: Workshop, limit: number): Promise<void> {
  for (let mutant = queue.pop(); mutant !== undefined; mutant = queue.pop()) {
    const tests = relatedTests(mutant.path, files);
    const outcome = tests.length === 0 ? 'passed' : await workshop.test(tests, limit, mutant);
    if (outcome !== 'passed') continue;
    survivors.push(mutant);
    console.error(`survived ${describe(mutant)}`);
  }
}

function describe({ path, line, column, before, after }: Mutant): string {
  return `${path}:${line}:${column}  ${before}  →  ${after === '' ? '(nothing)' : after}`;
}

function report(): void {
  const killed = total - survivors.length;
  const score = total === 0 ? 0 : Math.floor((killed / total) * 1000) / 10;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${killed} of ${total} mutants killed (${score} %, at least ${required} required) in ${seconds} s`,
  );
  if (values.json) {
    const list = survivors.map(({ text: _, ...survivor }) => survivor);
    console.log(
      JSON.stringify({ mutants: total, killed, score, seed: Number(values.seed), survivors: list, seconds }),
    );
  }
  process.exitCode = score >= required ? 0 : 1;
}
