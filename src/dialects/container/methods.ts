import { child } from '../../core/json-pointer.ts';
import type { Timers } from '../../core/ports/clock.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import type { ProgramLimits } from '../../rpc/program/program.ts';
import type { Meaning } from '../process/answer.ts';
import { readCommand } from '../process/command.ts';
import { inputReader, limitsOf, meaningOf, scopeOf } from '../process/plan.ts';
import { type Limit, limitOf } from '../timeout.ts';
import type { Container } from './config.ts';

/** What a call comes to, whoever runs it. */
export type Planned = {
  readonly image: string;
  readonly inside: readonly string[];
  readonly input: string;
  /** Whether there is anything to read. */
  readonly reads: boolean;
  readonly limit: Limit | null;
  readonly meaning: Meaning;
  readonly streams: boolean;
};

type Settings = Pick<Container, 'image' | 'command' | 'stdin' | 'stdin_text' | 'output' | 'exit' | 'timeout'>;

/** The engine bounds the memory; here only what it prints is counted. */
export function containerLimits(config: Container): ProgramLimits {
  const { limits = {}, grace } = config;
  return limitsOf({
    limits: limits.output === undefined ? {} : { output: limits.output },
    ...(grace === undefined ? {} : { grace }),
  });
}

/** By method. Throws GLZ1012 where something is wrong. */
export function plans(config: Container, timers: Timers): (call: ProviderCall) => Planned {
  const limits = containerLimits(config);
  const general = planFor(config, '/config', { limits, timers });
  const special = new Map(
    Object.entries(config.methods ?? {}).map(([name, own]) => {
      const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
      const settings: Settings = { ...config, ...given };
      return [name, planFor(settings, child('/config/methods', name), { limits, timers })];
    }),
  );
  return (call) => (special.get(call.method) ?? general)(call);
}

function planFor(
  settings: Settings,
  at: string,
  { limits, timers }: { readonly limits: ProgramLimits; readonly timers: Timers },
): (call: ProviderCall) => Planned {
  const { image, command, output = 'json' } = settings;
  const inside = command === undefined ? () => [] : readCommand(command, `${at}/command`);
  const input = inputReader(settings, at);
  const limit = limitOf(settings.timeout, timers, `${at}/timeout`);
  const meaning: Meaning = { ...meaningOf(settings, limits), program: image };
  const streams = output === 'lines' || output === 'jsonl' || output === 'text';
  return (call) => {
    const scope = scopeOf(call);
    return {
      image,
      inside: inside(scope),
      input: input(scope),
      reads: settings.stdin !== 'none',
      limit,
      meaning,
      streams,
    };
  };
}
