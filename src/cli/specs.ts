import type { CommandSpec } from './spec.ts';
import { agentSpecs } from './specs/agent.ts';
import { agentCheckSpecs } from './specs/agent-check.ts';
import { fileSpecs } from './specs/files.ts';
import { leagueSpecs } from './specs/league.ts';
import { lookSpecs } from './specs/look.ts';
import { operateSpecs } from './specs/operate.ts';
import { queueSpecs } from './specs/queue.ts';
import { registrySpecs } from './specs/registry.ts';
import { runSpecs } from './specs/run.ts';
import { serverSpecs } from './specs/server.ts';
import { steerSpecs } from './specs/steer.ts';
import { tokenSpecs } from './specs/token.ts';

/** Every command there is. */
export const specs: readonly CommandSpec[] = [
  ...runSpecs,
  ...fileSpecs,
  ...lookSpecs,
  ...steerSpecs,
  ...queueSpecs,
  ...registrySpecs,
  ...agentCheckSpecs,
  ...agentSpecs,
  ...serverSpecs,
  ...leagueSpecs,
  ...tokenSpecs,
  ...operateSpecs,
];
