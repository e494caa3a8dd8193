import { tmpdir } from 'node:os';
import { GleitzeitError } from '../../core/errors.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { Programs } from '../../rpc/program/program.ts';
import type { Filled } from '../filled.ts';
import { callEnvironment, type Prepared, programProbe, programProvider } from '../process/provider.ts';
import { answerFrom } from './answer.ts';
import type { Container } from './config.ts';
import { engineVariables, isEngines } from './engine-variables.ts';
import { containerLimits, type Planned } from './methods.ts';
import { nameFor, runCommand } from './run-command.ts';

export type ContainerParts = {
  readonly id: string;
  readonly protocol: string;
  readonly config: Container;
  readonly programs: Programs;
  readonly env: Filled;
  readonly secrets: () => readonly string[];
  readonly plan: (call: ProviderCall) => Planned;
};

/** How long the engine may take to remove what it would not end. */
const REMOVAL_MS = 10_000;

/** A container for each call, run by the engine of this machine. */
export function containerProvider(parts: ContainerParts): Provider {
  const { id, protocol, programs, secrets } = parts;
  const engine = engineOf(parts);
  return programProvider({
    id,
    protocol,
    programs,
    secrets,
    hasMethod: () => true,
    probe: programProbe(programs, [engineNames(parts.config)], () => ({ cwd: tmpdir(), env: {} })),
    prepare: async (call) => prepare(parts, call, await engine()),
  });
}

function engineNames({ engine = 'auto', engine_path }: Container): readonly string[] {
  if (engine_path !== undefined) return [engine_path];
  return engine === 'auto' ? ['docker', 'podman'] : [engine];
}

function engineOf({ config, programs }: ContainerParts): () => Promise<string> {
  const names = engineNames(config);
  let known: string | null = null;
  return async () => {
    known ??= await programs.find(names);
    if (known !== null) return known;
    const reason = `${names.join(' or ')} is not on this machine`;
    throw new GleitzeitError('GLZ2002', `there is nothing to run containers with: ${reason}`, {
      reason,
      hint: 'install docker or podman, or name its program: engine_path',
    });
  };
}

function prepare(parts: ContainerParts, call: ProviderCall, engine: string): Prepared {
  const { config, env, secrets } = parts;
  const { image, inside, input, reads, limit, meaning, streams } = parts.plan(call);
  const variables = { ...callEnvironment(call), ...env.fill() };
  const name = nameFor(call);
  const run: Prepared['run'] = {
    command: runCommand({ engine, name, task_id: call.task_id, image, inside, reads, variables }, config),
    // What watches over a container writes a file where it stands when there was not enough memory.
    cwd: tmpdir(),
    env: Object.fromEntries(Object.entries(variables).filter(([key]) => !isEngines(key))),
    inherit: engineVariables,
    secrets: secrets(),
    group_only: true,
    input,
    progress: 'stderr',
    limits: containerLimits(config),
  };
  return {
    run,
    limit,
    streams,
    answer: (end) => answerFrom(end, meaning),
    clear: () => remove(parts.programs, { ...run, input: '', progress: 'none' }, [engine, name]),
  };
}

/** Ending the program of the engine does not end the container: that is asked for, and it may be gone already. */
async function remove(
  programs: Programs,
  run: Prepared['run'],
  [engine, name]: readonly [string, string],
): Promise<void> {
  for (const words of [
    ['kill', '--signal', 'KILL', name],
    ['rm', '--force', name],
  ])
    await programs
      .run({
        ...run,
        command: [engine, ...words],
        clears: true,
        signal: AbortSignal.timeout(REMOVAL_MS),
      })
      .catch(() => {});
}
