import { resolve } from 'node:path';
import { startManager } from '../../main/league/manager.ts';
import { leagueLog, readTimeouts, readYaml, trusted } from '../../main/league/place.ts';
import { badValue } from '../flags.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';
import { endWithParent, portOf } from './league-agent.ts';
import { adminTokenOf } from './league-look.ts';

/** Manages a league until it is stopped. */
export async function leagueManager(call: Invocation): Promise<void> {
  const { flags, cwd, io } = call;
  const path = (name: string) => {
    const named = flags.text(name);
    return named === undefined ? undefined : resolve(cwd, named);
  };
  const league_id = flags.text('league-id') ?? '';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(league_id))
    throw badValue('league-id', league_id, 'write letters, digits, _ and -');
  const admin_token = adminTokenOf(call);
  const { logger, hide } = leagueLog(io.debug);
  hide([admin_token]);
  const games = path('games');
  const options = {
    ...{ league_id, admin_token, logger, tls: trusted(path('ca')) },
    ...{ game_type: flags.text('game') ?? '', seed: flags.text('seed') ?? '1' },
    ...{ games: games === undefined ? null : await readYaml(games), agent_hosts: flags.list('agent-host') },
    ...{ timeouts: await readTimeouts(path('timeouts')), folder: path('folder') ?? cwd },
    where: {
      ...{ host: flags.text('host') ?? '127.0.0.1', port: portOf(flags.text('port') ?? '9300') },
      ...{ tls_cert: path('tls-cert'), tls_key: path('tls-key') },
    },
  };
  let lost: unknown = null;
  await untilStopped(async () => {
    const manager = await startManager(options);
    io.say(`Listening on ${manager.url}/mcp`);
    manager.lost.then((error) => {
      lost = error;
      process.kill(process.pid, 'SIGTERM');
    });
    const release = endWithParent(call);
    return { stop: () => manager.stop().finally(release), reload: async () => {} };
  });
  if (lost !== null) throw lost;
}
