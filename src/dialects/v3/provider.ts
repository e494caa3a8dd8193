import type { Static } from 'typebox';
import type { Provider } from '../../core/ports/provider.ts';
import { filled } from '../filled.ts';
import { jsonrpcProvider } from '../jsonrpc/provider.ts';
import { answerLimits, type ProviderParts, type ProviderSpec } from '../provider-type.ts';
import { limitOf } from '../timeout.ts';
import { classified } from './answer.ts';
import { checkFunctions, type V3Config } from './config.ts';
import { filledOptions } from './options.ts';

/**
 * A class that was written for the third generation, hosted by a Python program of ours that speaks JSON-RPC: a method is
 * a function of the class.
 */
export function v3Provider(
  { id, protocol }: ProviderSpec,
  parts: ProviderParts,
  config: Static<typeof V3Config>,
): Provider {
  const { functions, python = 'python3', path = [], module } = config;
  checkFunctions(functions ?? {}, parts.methods);
  const env = filled(config.env ?? {}, parts.secrets, '/config/env');
  const options = filledOptions(config.options ?? {}, parts.secrets, '/config/options');
  const setup = () => JSON.stringify({ path, module, class: config.class, options: options.fill() });
  const provider = jsonrpcProvider({
    id,
    protocol,
    naming: {
      renamed: new Map(Object.entries(functions ?? {})),
      prefix: '',
      only: functions === undefined ? null : new Set(Object.keys(functions)),
    },
    secrets: () => [...env.values(), ...options.values(), ...(parts.hidden?.() ?? [])],
    timeout: limitOf(config.timeout, parts.timers, '/config/timeout'),
    channel: parts.channels.stdio({
      // Neither the environment nor the user's own packages change what the interpreter does.
      command: [python, '-I', parts.channels.programs().packaged('runners/v3.py')],
      cwd: config.cwd ?? null,
      env: () => ({ ...env.fill(), GLEITZEIT_V3: setup() }),
      framing: 'lines',
      limits: answerLimits,
    }),
  });
  return { ...provider, call: async (call) => classified(await provider.call(call)) };
}
