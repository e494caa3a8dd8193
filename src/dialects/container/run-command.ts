import type { ProviderCall } from '../../core/ports/provider.ts';
import { type Container, DEFAULT_MEMORY, DEFAULT_PIDS } from './config.ts';
import { isEngines } from './engine-variables.ts';

/** One for each attempt, made of what names the call: whoever sees the container knows the task. */
export function nameFor({ call_id, attempt }: Pick<ProviderCall, 'call_id' | 'attempt'>): string {
  return `gleitzeit-${call_id.replaceAll(/[^A-Za-z0-9_.-]/g, '-')}-${attempt}`.slice(0, 128);
}

export type RunParts = {
  readonly engine: string;
  readonly name: string;
  readonly task_id: string;
  readonly image: string;
  /** What runs in the container; empty for what the image names. */
  readonly inside: readonly string[];
  /**
   * Whether it reads the params. Some engines lose what a program prints that ends with its input unread, so that is not
   * connected at all where nothing is to be read.
   */
  readonly reads: boolean;
  /**
   * The engine takes their values from its own environment, where nobody else can read them, but for those of variables
   * that it goes by itself.
   */
  readonly variables: Readonly<Record<string, string>>;
};

/** Everything that a container may do is said here; what is not said, it may not. */
export function runCommand(parts: RunParts, config: Container): readonly [string, ...string[]] {
  const { limits = {}, network = 'none', read_only = true, mounts = [], pull = 'missing' } = config;
  const memory = String(limits.memory ?? DEFAULT_MEMORY);
  return [
    parts.engine,
    'run',
    '--rm',
    ...(parts.reads ? ['--interactive'] : []),
    ...['--name', parts.name],
    ...['--label', `gleitzeit.task=${parts.task_id}`],
    ...['--pull', pull],
    ...['--network', network],
    ...['--cap-drop', 'all'],
    ...['--security-opt', 'no-new-privileges'],
    ...['--memory', memory, '--memory-swap', memory],
    ...['--pids-limit', String(limits.pids ?? DEFAULT_PIDS)],
    ...(limits.cpus === undefined ? [] : ['--cpus', String(limits.cpus)]),
    ...(read_only ? ['--read-only', '--tmpfs', '/tmp'] : []),
    ...(config.user === undefined ? [] : ['--user', config.user]),
    ...(config.workdir === undefined ? [] : ['--workdir', config.workdir]),
    ...mounts.flatMap(({ source, target, read_only: only = true }) => [
      '--mount',
      `type=bind,source=${source},target=${target}${only ? ',readonly' : ''}`,
    ]),
    ...Object.entries(parts.variables).flatMap(([name, value]) => [
      '--env',
      isEngines(name) ? `${name}=${value}` : name,
    ]),
    parts.image,
    ...parts.inside,
  ];
}
