import type { Static } from 'typebox';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type JsonObject, own } from '../../core/json.ts';
import type { Provider } from '../../core/ports/provider.ts';
import type { ProgramLimits } from '../../rpc/program/program.ts';
import { filled } from '../filled.ts';
import type { ProviderParts, ProviderSpec } from '../provider-type.ts';
import { limitOf } from '../timeout.ts';
import { answerFrom, type Meaning } from './answer.ts';
import type { PythonConfig } from './config.ts';
import { limitsOf } from './plan.ts';
import { callEnvironment, programProbe, programProvider } from './provider.ts';

type Config = Static<typeof PythonConfig>;

/** The one method there is. */
const EXECUTE = 'execute';

/** Room for the interpreter itself beside what the code may hold. */
const INTERPRETER = 64 * 1024 * 1024;

/** Python code as earlier generations of workflows bring it: a runner of ours executes it, in a process for each call. */
export function pythonProvider(
  { id, protocol }: ProviderSpec,
  parts: ProviderParts,
  config: Config,
): Provider {
  const { python = 'python3', code = true, folder } = config;
  if (!code && folder === undefined) {
    const reason = 'is missing: without code there is nothing else that tasks could name';
    throw new GleitzeitError('GLZ1012', `/config/folder: ${reason}`, { field: '/config/folder', reason });
  }
  const programs = parts.channels.programs();
  const runner = programs.packaged('runners/python.py');
  const env = filled(config.env ?? {}, parts.secrets, '/config/env');
  const limits = limitsOf(config);
  const limit = limitOf(config.timeout, parts.timers, '/config/timeout');
  const meaning: Meaning = {
    program: 'the Python code',
    output: 'json',
    ok: [0],
    retry: config.retry ?? [75],
    otherwise: 'rejected',
    limits,
  };
  const secrets = () => [...env.values(), ...(parts.hidden?.() ?? [])];
  return programProvider({
    id,
    protocol,
    programs,
    secrets,
    hasMethod: (method) => method === EXECUTE,
    probe: programProbe(programs, [[python]], () => ({ cwd: config.cwd ?? null, env: env.fill() })),
    prepare: (call) => {
      const asked = askedOf(call.params, { code, folder: folder ?? null });
      const told = env.fill();
      return {
        limit,
        streams: false,
        answer: (end) => answerFrom(end, meaning),
        run: {
          // Neither the environment nor the user's own packages change what the interpreter does.
          command: [python, '-I', runner],
          cwd: config.cwd ?? null,
          env: { ...callEnvironment(call), ...told },
          inherit: config.inherit_env ?? [],
          secrets: secrets(),
          input: JSON.stringify({ ...asked, memory: limits.max_memory, progress: call.report !== undefined }),
          progress: 'fd3',
          limits: withInterpreter(limits),
        },
      };
    },
  });
}

/** The interpreter ends by itself at the limit, and says so; looking from outside is for what it starts. */
function withInterpreter(limits: ProgramLimits): ProgramLimits {
  return limits.max_memory === null ? limits : { ...limits, max_memory: limits.max_memory + INTERPRETER };
}

type Allowed = { readonly code: boolean; readonly folder: string | null };

function askedOf(params: JsonObject, { code: mayBringCode, folder }: Allowed): JsonObject {
  const [code, file] = [own(params, 'code'), own(params, 'file')];
  const context = own(params, 'context') ?? {};
  const args = own(params, 'args') ?? [];
  if (!isObject(context)) throw refused('/context', 'must be an object');
  if (!Array.isArray(args) && !isObject(args)) throw refused('/args', 'must be a list or an object');
  if (file !== undefined && file !== null) {
    if (typeof file !== 'string' || (code !== undefined && code !== null))
      throw refused('/file', 'must be a path, and stand without code');
    if (folder === null) throw refused('/file', 'files are not allowed here', 'set folder of the provider');
    return { file, folder, context, args };
  }
  if (typeof code !== 'string') throw refused('/code', 'must be text');
  if (!mayBringCode) throw refused('/code', 'tasks may not bring code here', 'name a file instead');
  return { code, context, args };
}

function refused(field: string, reason: string, hint?: string): GleitzeitError {
  return new GleitzeitError('GLZ2010', `params${field}: ${reason}`, {
    field,
    reason,
    ...(hint === undefined ? {} : { hint }),
  });
}
