import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { parseKey } from '../../store/cipher.ts';
import { placeOf } from '../store.ts';
import { type Finding, findings } from './finding.ts';

const { ok, warning, problem } = findings('keys');

type Environment = Readonly<Record<string, string | undefined>>;

/** The keys that callers show, and the one that secrets in the store are kept under. */
export function checkKeys(config: Config, environment: Environment): Finding[] {
  return [callers(config), ...secretKey(config, environment)];
}

function callers({ server }: Config): Finding {
  const { keys, host } = server;
  if (keys.length === 0) return ok(`no keys: whoever reaches ${host} on this machine may do everything`);
  const admins = keys.filter(({ role }) => role === 'admin').length;
  const text = `${keys.length} ${keys.length === 1 ? 'key' : 'keys'} for callers`;
  return admins === 0
    ? warning(`${text}, none of an admin`, 'gleitzeit token create --role admin')
    : ok(text);
}

function secretKey(config: Config, environment: Environment): Finding[] {
  const given = environment['GLEITZEIT_SECRET_KEY'];
  if (given !== undefined) return [fromVariable(given)];
  const where = placeOf(config.store);
  if (where.type === 'postgres')
    return [
      warning(
        'no key for fields marked x-secret: tasks that have such fields are refused',
        'set GLEITZEIT_SECRET_KEY, the same for every engine: openssl rand -base64 32',
      ),
    ];
  const file = join(dirname(where.path), 'secret.key');
  if (!existsSync(file)) return [ok('the key for secrets is made with the first one')];
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    return [problem(`${file} can be read by others than its owner`, `chmod 600 ${file}`)];
  return [
    ok(`${file} is readable by its owner only; keep a copy of it with your backups, but not beside them`),
  ];
}

function fromVariable(given: string): Finding {
  try {
    const keys = given.split(',').map((key) => parseKey(key, 'GLEITZEIT_SECRET_KEY'));
    return ok(`GLEITZEIT_SECRET_KEY holds ${keys.length} ${keys.length === 1 ? 'key' : 'keys'} for secrets`);
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    return problem(message, details.hint ?? 'openssl rand -base64 32');
  }
}
