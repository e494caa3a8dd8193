/** A process of W19: `manager <folder> <admin token>`, `referees <url> <count>` or `players <url> <count>`. Ends with its parent. */
import { gamesOf } from '../src/league/games/registry.ts';
import { defaultTimeouts } from '../src/league/protocol/timeout-policy.ts';
import { randomStrategy, startPlayer, startReferee } from '../src/main/league/agent.ts';
import { startManager } from '../src/main/league/manager.ts';
import { leagueLog, openLines } from '../src/main/league/place.ts';

const [what = '', where = '', more = ''] = process.argv.slice(2);
const here = { host: '127.0.0.1', port: 0 };
const { logger, hide } = leagueLog(false);

async function manage(): Promise<string> {
  const league = { league_id: 'bench', game_type: 'even_odd', seed: '1', games: null, agent_hosts: [] };
  const { url, stop } = await startManager({
    ...{ ...league, admin_token: more, timeouts: defaultTimeouts, folder: where, where: here, logger },
  });
  process.once('disconnect', () => stop().then(() => process.exit(0)));
  return url;
}

async function join(): Promise<string> {
  const lines = openLines(undefined);
  const common = { manager: where, where: here, seed: '1', games: gamesOf(), policy: defaultTimeouts };
  const agents = await Promise.all(
    Array.from({ length: Number(more) }, (_, index) => {
      const options = { ...common, id: `${what[0]}${index}`, lines, logger, hide: () => {} };
      return what === 'referees'
        ? startReferee(options)
        : startPlayer({ ...options, strategy: randomStrategy });
    }),
  );
  await Promise.all(agents.map(({ joined }) => joined));
  process.once('disconnect', () => process.exit(0));
  return where;
}

hide([more]);
process.send?.({ url: await (what === 'manager' ? manage() : join()), pid: process.pid });
