import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { connect } from '../../src/sdk/index.ts';
import { seed } from '../seed.ts';
import { cases } from './cases.ts';
import { openStage, type Stage } from './stage.ts';
import { type World, worldOf } from './world.ts';

describe(`the client in Node (seed ${seed})`, () => {
  let stage: Stage;
  let world: World;

  beforeAll(async () => {
    stage = await openStage({ seed, origins: [] });
    const { control, keys, nowhere } = stage;
    world = worldOf({ connect, control, keys, nowhere });
  });
  afterEach(() => stage.control.tidy());
  afterAll(() => stage?.close());

  for (const [subject, group] of Object.entries(cases))
    describe(subject, () => {
      for (const [name, run] of Object.entries(group)) it(name, () => run(world), 60_000);
    });
});
