import { GleitzeitError } from '../../src/core/errors.ts';
import type { CommitAnswer } from '../../src/core/ports/store.ts';
import type { Verdict, Write } from '../../src/core/writes.ts';
import { settling } from '../../src/store/suite/scene.suite.ts';
import { verifyStore } from '../../src/store/suite/verify.suite.ts';
import { answerOf, buildWrite, Known } from './build-write.ts';
import { LANES, type Operation, type WriteShape } from './operations.ts';
import { readOut, readSome } from './read-out.ts';
import type { Subject, World } from './subject.ts';

/** What was asked and what came back, step by step. */
export type Step = { readonly operation: Operation | 'begin' | 'end'; readonly answer: unknown };

/** Carries out a sequence on a store of its own and writes down all it answers. */
export async function drive(subject: Subject, operations: readonly Operation[]): Promise<Step[]> {
  const world = await subject.open();
  const known = new Known();
  const steps: Step[] = [];
  try {
    const joins: Write[] = ['e1', 'e2'].map((owner) => ({ kind: 'join', owner, ttl_ms: 20_000 }));
    steps.push({
      operation: 'begin',
      answer: await told(world.commit('e1', { writes: joins, claim: null }), known),
    });
    for (const operation of operations)
      steps.push({ operation, answer: await carryOut(world, known, operation) });
    steps.push({ operation: 'end', answer: await readOut(world.reads(), known) });
    await verifyStore({ reads: world.reads() }, { pruned: prunes(operations) });
  } finally {
    await world.close();
  }
  return steps;
}

function prunes(operations: readonly Operation[]): boolean {
  return operations.some((step) => 'writes' in step && step.writes.some(({ write }) => write === 'prune'));
}

async function carryOut(world: World, known: Known, operation: Operation): Promise<unknown> {
  switch (operation.do) {
    case 'commit': {
      const { by, claim } = operation;
      const request = { writes: buildAll(operation.writes, known), claim: claim && { owner: by, ...claim } };
      return told(world.commit(by, request), operation.heard ? known : new Known());
    }
    case 'commit_when_full': {
      // With something to write at all: a commit that changes nothing needs no room.
      const writes = buildAll([...operation.writes, somethingToWrite], known);
      return told(world.commitWhenFull(operation.by, { writes, claim: null }), known);
    }
    case 'work':
      return work(world, known, operation);
    case 'advance':
      return world.advance(operation.ms);
    case 'reopen':
      return world.reopen();
    case 'crash':
      return world.crash();
    case 'read':
      return readSome({ ...operation, reads: world.reads(), known });
  }
}

/** Twice, so that what the first outcomes made ready runs too. */
async function work(
  world: World,
  known: Known,
  { by, outcomes }: Extract<Operation, { do: 'work' }>,
): Promise<unknown> {
  const answers: unknown[] = [];
  let writes: Write[] = [{ kind: 'join', owner: by, ttl_ms: 20_000 }];
  for (const limit of [50, 50, 0]) {
    const earlier = known.leases.length;
    answers.push(await told(world.commit(by, { writes, claim: { owner: by, limit, lanes: LANES } }), known));
    writes = known.leases
      .slice(earlier)
      .map((lease, index) =>
        settling(lease, answerOf(outcomes[index % outcomes.length] ?? { word: 'final' })),
      );
  }
  return answers;
}

const somethingToWrite: WriteShape = {
  write: 'submit_lone',
  tasks: [
    {
      after: [],
      priority: 'normal',
      lane: 'test',
      continues: false,
      total_timeout: null,
      size: 1,
      traced: false,
    },
  ],
  key: null,
};

/** An id is given once in a commit: engines draw them, so that no two submissions have the same. */
function buildAll(shapes: readonly WriteShape[], known: Known): Write[] {
  const ids = new Set<string>();
  const earlier = known.tasks.length;
  return shapes.flatMap((shape) => {
    const write = buildWrite(shape, known, earlier);
    const submitted = write?.kind === 'submit' ? write.runs.flatMap((run) => run.tasks) : [];
    if (write === null || submitted.some(({ task_id }) => ids.has(task_id))) return [];
    for (const { task_id } of submitted) ids.add(task_id);
    return [write];
  });
}

async function told(commit: Promise<CommitAnswer>, known: Known): Promise<unknown> {
  try {
    const answer = await commit;
    known.leases.push(...answer.claimed.map(({ task }) => task));
    return { ...answer, verdicts: answer.verdicts.map(comparable) };
  } catch (thrown) {
    // Which trouble it was is the store's own affair; that it was trouble with the store is not.
    if (thrown instanceof GleitzeitError && thrown.code.startsWith('GLZ30')) return 'trouble with the store';
    throw thrown;
  }
}

/** Why a database cannot hold a record it says in its own words. */
function comparable(verdict: Verdict): unknown {
  if (verdict.ok || verdict.error.data.error_code !== 'GLZ3009') return verdict;
  return { ok: false, error: 'GLZ3009' };
}
