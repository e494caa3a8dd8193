import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gamesOf } from '../../src/league/games/registry.ts';
import { defaultTimeouts } from '../../src/league/protocol/timeout-policy.ts';
import { type AgentOptions, randomStrategy, startPlayer, startReferee } from '../../src/main/league/agent.ts';
import { startManager } from '../../src/main/league/manager.ts';
import { openLines } from '../../src/main/league/place.ts';
import { quiet } from '../../src/rpc/testing/quiet.suite.ts';

export const ADMIN = 'the-token-of-the-administrator';

const loopback = { host: '127.0.0.1', port: 0 };

export type SmallLeague = {
  readonly url: string;
  readonly audit: string;
  close(): Promise<void>;
};

export function agentOptions(id: string, manager: string): AgentOptions {
  return {
    ...{ id, manager, where: loopback, seed: '1', games: gamesOf(), policy: defaultTimeouts },
    ...{ lines: openLines(undefined), logger: quiet.logger, hide: () => {} },
  };
}

/** A manager, a referee and so many players in this process, all registered, and nothing begun. */
export async function openSmallLeague(players: number, game_type = 'tic_tac_toe'): Promise<SmallLeague> {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-small-league-'));
  const manager = await startManager({
    ...{ league_id: 'small', game_type, seed: '1', games: null, admin_token: ADMIN, agent_hosts: [] },
    ...{ timeouts: defaultTimeouts, folder, where: loopback, logger: quiet.logger },
  });
  const { url, audit } = manager;
  const referee = await startReferee(agentOptions('R1', url));
  await referee.joined;
  const ids = Array.from({ length: players }, (_, index) => `P${index + 1}`);
  const playing = await Promise.all(
    ids.map((id) => startPlayer({ ...agentOptions(id, url), strategy: randomStrategy })),
  );
  await Promise.all(playing.map(({ joined }) => joined));
  return {
    ...{ url, audit },
    close: async () => {
      await Promise.all([referee, ...playing].map((agent) => agent.stop(1000)));
      await manager.stop(1000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
