import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';

/** What a league that is run here is, from its first start on. */
export type LeagueSettings = {
  readonly league_id: string;
  readonly game: string;
  readonly seed: string;
  readonly players: number;
  readonly referees: number;
  readonly port: number;
  readonly admin_token: string;
};

export type NewLeague = Omit<LeagueSettings, 'admin_token' | 'seed'> & { readonly seed: string | undefined };

/** The settings of the league in a folder; those of a new one are written there, readable by nobody else. */
export async function openLeagueFolder(folder: string, wanted: NewLeague): Promise<LeagueSettings> {
  const file = join(folder, 'league.json');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept !== null) return same(folder, JSON.parse(kept), wanted);
  const settings: LeagueSettings = {
    ...wanted,
    seed: wanted.seed ?? randomBytes(6).toString('hex'),
    port: wanted.port === 0 ? await freePort() : wanted.port,
    admin_token: randomBytes(24).toString('base64url'),
  };
  await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return settings;
}

function same(folder: string, kept: unknown, wanted: NewLeague): LeagueSettings {
  if (!isObject(kept) || typeof kept['admin_token'] !== 'string')
    throw other(folder, 'league.json is none of ours');
  const { game, seed, players, referees }: JsonObject = kept;
  if (game !== wanted.game || players !== wanted.players || referees !== wanted.referees)
    throw other(
      folder,
      `it is ${String(game)} with ${String(players)} players and ${String(referees)} referees`,
    );
  if (wanted.seed !== undefined && wanted.seed !== seed) throw other(folder, 'it has another seed');
  // Written by the function above.
  return kept as unknown as LeagueSettings;
}

function other(folder: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ1011', `there is another league in ${folder}: ${reason}`, {
    ...{ field: 'folder', reason, hint: 'go on with that one, or choose another folder' },
  });
}

/** The manager keeps its port over restarts, so it has to be known before. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address === null || typeof address === 'string' ? 0 : address.port;
}
