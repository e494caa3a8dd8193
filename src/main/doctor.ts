import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import { headline, problemsOf } from '../files/problems.ts';
import { type CheckName, type Finding, findings } from './checks/finding.ts';
import { checkNode } from './checks/node.ts';

export { type CheckName, checkNames, type Finding, findings } from './checks/finding.ts';

export type DoctorParts = {
  readonly load: () => Promise<Config>;
  /** The same as servers and bridges read it: only they have to do with the broker. */
  readonly served: () => Promise<Config>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly checks: readonly CheckName[];
};

const config = findings('config');

/** Looks at everything a server or a run needs on this machine. Nothing is changed. */
export async function examine({ load, served, environment, checks }: DoctorParts): Promise<Finding[]> {
  const found: Finding[] = [];
  const wanted = (name: CheckName) => checks.includes(name);
  if (wanted('node')) found.push(...checkNode());
  const loaded = await read(load);
  if (wanted('config') || loaded.settings === null) found.push(...loaded.found);
  const { settings } = loaded;
  if (settings === null) return found;
  const store = await import('./checks/store.ts');
  if (wanted('store')) found.push(...(await store.checkStore(settings)));
  if (wanted('disk')) found.push(...store.checkDisk(settings));
  if (wanted('clock')) found.push(...(await store.checkClock(settings)));
  if (wanted('port')) found.push(...(await (await import('./checks/port.ts')).checkPort(settings)));
  if (wanted('providers'))
    found.push(...(await (await import('./checks/providers.ts')).checkProviders(settings, environment)));
  if (wanted('keys')) found.push(...(await import('./checks/keys.ts')).checkKeys(settings, environment));
  if (wanted('broker')) found.push(...(await brokerOf(served)));
  return found;
}

async function brokerOf(served: () => Promise<Config>): Promise<readonly Finding[]> {
  const { settings, found } = await read(served);
  return settings === null ? found : (await import('./checks/broker.ts')).checkBroker(settings);
}

type Read = { readonly settings: Config | null; readonly found: readonly Finding[] };

async function read(load: () => Promise<Config>): Promise<Read> {
  try {
    const settings = await load();
    const place = settings.file ?? 'no file, only defaults and the environment';
    return {
      settings,
      found: [config.ok(place), ...settings.warnings.map((warning) => config.warning(warning))],
    };
  } catch (thrown) {
    const problems = problemsOf(thrown).map((problem) => config.problem(headline(problem), problem.hint));
    const { message, details } = GleitzeitError.from(thrown);
    return {
      settings: null,
      found: problems.length > 0 ? problems : [config.problem(message, details.hint ?? null)],
    };
  }
}
