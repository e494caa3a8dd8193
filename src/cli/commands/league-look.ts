import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { GleitzeitError } from '../../core/errors.ts';
import { leagueProgress, startLeague } from '../../main/league/ask-manager.ts';
import { auditFile, replayFile } from '../../main/league/audit.ts';
import { openLines } from '../../main/league/place.ts';
import type { ExitName } from '../exits.ts';
import { details } from '../output/table.ts';
import type { Invocation } from '../spec.ts';
import { progressLine, standingsTable } from '../views/league.ts';

export async function leagueStandings(call: Invocation): Promise<void> {
  const { io } = call;
  const shown = await leagueProgress(managerOf(call));
  const { referees: _, players: __, ...progress } = shown;
  await io.emit(progress, {
    table: (view) => `${progressLine(shown)}\n${standingsTable(progress.standings, view)}`,
    names: progress.standings.map(({ player_id }) => player_id),
  });
}

export async function leagueStart(call: Invocation): Promise<void> {
  const { url, ca } = managerOf(call);
  const lines = openLines(ca);
  try {
    const told = await startLeague({ lines, manager: url, admin_token: adminTokenOf(call) });
    await call.io.emit(told, { table: () => `Started: ${told.message}\n`, names: [told.league_status] });
  } finally {
    await lines.close();
  }
}

export async function leagueAudit(call: Invocation): Promise<ExitName> {
  const found = await auditFile(fileOf(call));
  const { file, intact, lines, hash, reason } = found;
  await call.io.emit(found, {
    table: (view) =>
      intact
        ? details(
            [
              ['Log', `${file}, intact`],
              ['Lines', String(lines)],
              ['Last hash', hash],
            ],
            view,
          )
        : `${file}: line ${lines + 1} is not as it was written: ${reason}\n`,
    names: [intact ? 'intact' : 'changed'],
  });
  return intact ? 'ok' : 'findings';
}

export async function leagueReplay(call: Invocation): Promise<ExitName> {
  const found = await replayFile(fileOf(call));
  const { league_id, results, standings, differences } = found;
  await call.io.emit(found, {
    table: (view) =>
      `${league_id ?? 'no league'}: ${results.length} results\n${standingsTable(standings, view)}${
        differences.length === 0 ? 'The log agrees with itself.' : differences.join('\n')
      }\n`,
    names: standings.map(({ player_id }) => player_id),
  });
  return differences.length === 0 ? 'ok' : 'findings';
}

function fileOf({ arguments: [named = ''], cwd }: Invocation): string {
  return resolve(cwd, named);
}

function managerOf({ flags, cwd }: Invocation) {
  const ca = flags.text('ca');
  return { url: flags.text('manager') ?? '', ca: ca === undefined ? undefined : resolve(cwd, ca) };
}

/** From the file, or from the variable. It is never printed. */
export function adminTokenOf({ flags, env, cwd }: Invocation): string {
  const named = flags.text('admin-token-file');
  const given = named === undefined ? env['GLEITZEIT_LEAGUE_ADMIN_TOKEN'] : read(resolve(cwd, named), named);
  const token = given?.trim() ?? '';
  if (token.length >= 8) return token;
  throw new GleitzeitError(
    'GLZ1012',
    'there is no token of the administrator, or it is shorter than 8 signs',
    {
      ...{
        field: 'admin-token-file',
        hint: 'name a file that holds it, or set GLEITZEIT_LEAGUE_ADMIN_TOKEN',
      },
    },
  );
}

function read(file: string, named: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new GleitzeitError('GLZ1012', `the token in ${named} cannot be read`, {
      ...{ field: 'admin-token-file', reason },
    });
  }
}
