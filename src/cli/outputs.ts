import { agentCheckOutputs } from './outputs/agent-check.ts';
import { clientOutputs, configOutputs } from './outputs/client.ts';
import { fileOutputs } from './outputs/files.ts';
import { leagueOutputs } from './outputs/league.ts';
import { runOutputs } from './outputs/run.ts';
import { serverOutputs } from './outputs/server.ts';

/** What `-o json` prints, command by command: the published schemas. A command that prints items over time, one of them. */
export const outputs = {
  ...clientOutputs,
  ...configOutputs,
  ...serverOutputs,
  ...fileOutputs,
  ...runOutputs,
  ...agentCheckOutputs,
  ...leagueOutputs,
};

export type OutputName = keyof typeof outputs;
