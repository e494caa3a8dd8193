import { relative, resolve } from 'node:path';
import type { Secrets } from '../../config.ts';
import { type Faults, faultsFrom, type LeftAlone, leftAlone } from '../../main/faults.ts';
import { loadServerConfig } from '../../main/load.ts';
import { startServer } from '../../main/server.ts';
import { clientOver } from '../../sdk/index.ts';
import { readWorkflowHere } from '../runnable.ts';
import type { Invocation } from '../spec.ts';
import { untilStopped } from '../until-stopped.ts';
import { Definer } from '../watching/define.ts';
import { type WatchedPlaces, watchPlaces } from '../watching/folders.ts';
import { placesNamed } from '../watching/places.ts';

/**
 * The same server for a laptop: a log for people, workflow files defined whenever they change, and never a database that
 * DATABASE_URL names for another program.
 */
export async function dev(call: Invocation): Promise<void> {
  const { flags, env: environment, cwd, io } = call;
  const file = flags.text('config') ?? null;
  const env = { GLEITZEIT_LOGGING_FORMAT: 'text', ...environment };
  const load = (secrets_in_force?: Secrets) =>
    loadServerConfig({ file, env, cwd, database_url: false, secrets_in_force });
  const spec = flags.text('faults');
  const faults = spec === undefined ? undefined : faultsFrom(spec);
  await untilStopped(async () => {
    const config = await load();
    const server = await startServer({ config, load, environment, faults });
    const client = clientOver(server.open, { name: 'the server' });
    const places = placesOf(call, config.workflows);
    const definer = new Definer({
      client,
      places,
      cwd,
      read: (path, lists) => readWorkflowHere(call, relative(cwd, path), lists),
      say: (text) => io.say(text),
      write: (text) => io.stderr.write(text),
      colour: io.stderr.colour,
    });
    io.say(whereToLook(server.url));
    if (spec !== undefined && faults !== undefined) io.say(whatIsMade(spec, faults, leftAlone(config)));
    await definer.look();
    const watching = watchPlaces(places, { changed: () => definer.look(), besides: () => definer.folders });
    return {
      reload: () => server.reload(),
      stop: async () => {
        watching.close();
        client.close();
        await server.stop();
      },
    };
  });
}

/** This folder, what the configuration names, and what was given. */
function placesOf({ cwd, arguments: given }: Invocation, configured: readonly string[]): WatchedPlaces {
  return placesNamed([...configured, ...given.map((path) => resolve(cwd, path))], [cwd]);
}

function whereToLook(url: string): string {
  return [
    `Gleitzeit listens on ${url}. Ctrl-C stops it.`,
    `  ${url}/rpc            JSON-RPC 2.0, by POST or WebSocket`,
    `  ${url}/events         what happens, as server-sent events`,
    `  ${url}/openrpc.json   every method, with its schemas`,
    'Workflow files (*.gleitzeit.yaml) are defined when they change: gleitzeit run <name>',
  ].join('\n');
}

function whatIsMade(spec: string, { seed }: Faults, alone: readonly LeftAlone[]): string {
  const but = alone.length === 0 ? '' : ' that is not left alone';
  return [
    `Faults are made on the way to every provider${but}: ${spec}`,
    `  seed=${seed} makes the same ones again; each is told in the log at the level debug`,
    ...alone.map(({ name, why }) => `  left alone: ${name}, since ${why}`),
  ].join('\n');
}
