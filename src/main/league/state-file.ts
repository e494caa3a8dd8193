import { open, readFile, rename } from 'node:fs/promises';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { type Identity, type IdentityKeeper, inMemory, newIdentity } from '../../league/agents/identity.ts';

/** An identity in a file that only its owner may read; in memory where no file is named. */
export async function openIdentity(file: string | undefined, registration: string): Promise<IdentityKeeper> {
  if (file === undefined) return inMemory(newIdentity(registration));
  let identity = (await read(file)) ?? newIdentity(registration);
  // Written before anything is said: after a crash the same question is asked under the same id.
  await write(file, identity);
  let last: Promise<void> = Promise.resolve();
  return {
    get identity() {
      return identity;
    },
    keep: (change) => {
      identity = { ...identity, ...change };
      last = last.catch(() => {}).then(() => write(file, identity));
      return last;
    },
  };
}

async function read(file: string): Promise<Identity | null> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    if ((thrown as { code?: unknown }).code === 'ENOENT') return null;
    throw unreadable(file, GleitzeitError.from(thrown).message);
  });
  if (text === null) return null;
  try {
    return identityIn(JSON.parse(text));
  } catch (thrown) {
    throw unreadable(file, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function identityIn(kept: unknown): Identity {
  if (!isObject(kept)) throw new Error('it holds no object');
  const { registration, auth_token, league_id, port, matches }: JsonObject = kept;
  if (typeof registration !== 'string') throw new Error('registration is missing');
  const texts = Object.entries(isObject(matches) ? matches : {}).map(([id, token]) => [id, String(token)]);
  return {
    registration,
    auth_token: typeof auth_token === 'string' ? auth_token : null,
    league_id: typeof league_id === 'string' ? league_id : null,
    port: typeof port === 'number' ? port : null,
    matches: Object.fromEntries(texts),
  };
}

/** The whole new file takes the place of the old one: a crash leaves one of them. */
async function write(file: string, identity: Identity): Promise<void> {
  const fresh = `${file}.new`;
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(identity)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}

function unreadable(file: string, reason: string): GleitzeitError {
  const hint = 'without what it holds an agent cannot go on in its league; remove it for a new league';
  return new GleitzeitError('GLZ1012', `${file}: ${reason}`, { field: 'state', reason, hint });
}
