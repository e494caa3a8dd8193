import { inject } from 'vitest';
import { storeSuite } from '../store.suite.ts';
import { postgresHarness } from './harness.suite.ts';

storeSuite(
  'the Postgres store',
  postgresHarness(() => inject('postgresUrl')),
);
