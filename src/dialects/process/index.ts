import { child } from '../../core/json-pointer.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { checkConfig } from '../check-config.ts';
import { filled } from '../filled.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { checkMethods } from '../reached.ts';
import { missing, ProcessConfig, PythonConfig } from './config.ts';
import { limitsOf, type MethodSettings, plansFor } from './plan.ts';
import { callEnvironment, programProbe, programProvider } from './provider.ts';
import { pythonProvider } from './python.ts';

export const processTypes: readonly ProviderType[] = [
  {
    type: 'process',
    summary: 'a program of this machine, started for each call',
    files_only: true,
    schema: ProcessConfig,
    open: openProcess,
  },
  {
    type: 'python',
    summary: 'Python code that tasks bring, or files they name, run by the interpreter of this machine',
    files_only: true,
    schema: PythonConfig,
    open: (spec, parts) => pythonProvider(spec, parts, checkConfig(PythonConfig, spec.config, '/config')),
  },
];

function openProcess({ id, protocol, config: raw }: ProviderSpec, parts: ProviderParts): Provider {
  const config = checkConfig(ProcessConfig, raw, '/config');
  const { methods = {}, command } = config;
  if (command === undefined && Object.keys(methods).length === 0)
    throw missing('/config/command', 'write the program and its arguments: [python3, tool.py]');
  checkMethods(Object.keys(methods), parts.methods, '/config/methods');
  const env = filled(config.env ?? {}, parts.secrets, '/config/env');
  const limits = limitsOf(config);
  const planned = (settings: MethodSettings, at: string) =>
    plansFor(settings, { at, limits, timers: parts.timers });
  const general = command === undefined ? null : planned(config, '/config');
  const special = new Map(
    Object.entries(methods).map(([name, own]) => [
      name,
      planned({ ...settingsOf(config), ...own }, child('/config/methods', name)),
    ]),
  );
  const secrets = () => [...env.values(), ...(parts.hidden?.() ?? [])];
  const programs = parts.channels.programs();
  const commands = [command, ...Object.values(methods).map((own) => own.command)];
  const started = new Set(commands.flatMap((one) => one?.slice(0, 1) ?? []));
  const place = () => ({ cwd: config.cwd ?? null, env: env.fill() });
  return programProvider({
    id,
    protocol,
    programs,
    secrets,
    probe: programProbe(
      programs,
      [...started].map((name) => [name]),
      place,
    ),
    hasMethod: (method) => general !== null || special.has(method),
    prepare: (call) => {
      const plan = special.get(call.method) ?? general;
      if (plan === null) throw missing(child('/config/methods', call.method), 'no program is named for it');
      const { limit, answer, streams, command, input } = plan(call);
      const told = env.fill();
      return {
        limit,
        answer,
        streams,
        run: {
          command,
          input,
          cwd: config.cwd ?? null,
          env: { ...callEnvironment(call), ...told },
          inherit: config.inherit_env ?? [],
          secrets: secrets(),
          progress: config.progress ?? 'stderr',
          limits,
        },
      };
    },
  });
}

function settingsOf(config: MethodSettings): MethodSettings {
  const { command, stdin, stdin_text, output, exit, timeout } = config;
  return Object.fromEntries(
    Object.entries({ command, stdin, stdin_text, output, exit, timeout }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
