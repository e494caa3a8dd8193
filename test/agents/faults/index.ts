import { cardFaults } from './cards.ts';
import { envelopeFaults, errorFaults } from './envelopes.ts';
import type { Fault } from './fault.ts';
import { furtherFaults, furtherSimpleFaults } from './further.ts';
import { moreFaults } from './more.ts';
import { httpFaults, resultFaults } from './results.ts';
import { simpleFaults } from './simple.ts';
import { streamFaults } from './streams.ts';

/** Everything that can be wrong with an agent, as far as we have thought of it. */
export const faults: readonly Fault[] = [
  ...cardFaults,
  ...envelopeFaults,
  ...errorFaults,
  ...resultFaults,
  ...httpFaults,
  ...streamFaults,
  ...simpleFaults,
  ...moreFaults,
  ...furtherFaults,
  ...furtherSimpleFaults,
];

/** Those of agents that are spoken to in simple-a2a. */
export const faultsOfSimple: readonly Fault[] = [...simpleFaults, ...furtherSimpleFaults];
