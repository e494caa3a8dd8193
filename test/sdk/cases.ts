import { accessCases } from './cases/access.ts';
import { callCases } from './cases/calls.ts';
import { closeCases } from './cases/close.ts';
import { eventCases } from './cases/events.ts';
import { waitCases } from './cases/waits.ts';
import type { Case } from './world.ts';

/** What the client must do wherever it runs. */
export const cases: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  calls: callCases,
  waits: waitCases,
  events: eventCases,
  keys: accessCases,
  'the end': closeCases,
};
