import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';
import type { ProviderConfig } from '../../config.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { ZoneLine } from '../../dialects/provider-type.ts';
import type { RpcAnswer } from '../../rpc/channel.ts';
import type { Programs } from '../../rpc/program/program.ts';

const there: RpcAnswer = { result: null };

/** Programs that are started for each call are looked for, not started: nobody knows what they would do. */
export async function findPrograms(
  programs: Pick<Programs, 'find'>,
  { config }: Pick<ProviderConfig, 'config'>,
  folder: string,
): Promise<RpcAnswer> {
  for (const names of programsIn(config)) {
    const places = names.map((name) => (name.includes('/') && !isAbsolute(name) ? join(folder, name) : name));
    if ((await programs.find(places)) === null)
      throw new GleitzeitError('GLZ2002', `there is no program ${names.join(' or ')}`, {
        hint: 'install it, or write the path it lies at',
      });
  }
  return there;
}

/** For each program that is needed, the names any of which will do. */
function programsIn(config: ProviderConfig['config']): readonly (readonly string[])[] {
  const { command, methods = {}, python, image, engine = 'auto', engine_path } = config as Settings;
  if (image !== undefined) {
    if (engine_path !== undefined) return [[engine_path]];
    return [engine === 'auto' ? ['docker', 'podman'] : [engine]];
  }
  const commands = [command, ...Object.values(methods).map((one) => one.command)];
  const started = commands.flatMap((one) => (one?.[0] === undefined ? [] : [[one[0]]]));
  return started.length > 0 ? started : [[python ?? 'python3']];
}

type Settings = {
  readonly command?: readonly string[];
  readonly methods?: Readonly<Record<string, { readonly command?: readonly string[] }>>;
  readonly python?: string;
  readonly image?: string;
  readonly engine?: string;
  readonly engine_path?: string;
};

/** Whether anybody listens at an address of a service that cannot be asked what it can do. */
export function reach(url: string, signal: AbortSignal): Promise<RpcAnswer> {
  const { hostname, port, protocol } = new URL(url);
  const number = port === '' ? (protocol === 'grpcs:' ? 443 : 80) : Number(port);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname.replaceAll(/[[\]]/g, ''), port: number });
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
    socket.once('connect', () => end(() => resolve(there)));
    socket.once('error', ({ message }) =>
      end(() => reject(new GleitzeitError('GLZ2002', `nobody listens at ${url}: ${message}`))),
    );
  });
}

/** A zone is asked for a task that nobody has: whatever it says to that, it is there. */
export async function hail(zone: ZoneLine, signal: AbortSignal): Promise<RpcAnswer> {
  const params = { task_id: 'is-anybody-there' };
  await zone.ask({ id: randomUUID(), method: 'get_async_task_result', params }, signal);
  return there;
}
