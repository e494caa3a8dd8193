import { GleitzeitError } from '../../core/errors.ts';
import { Type } from '../../type.ts';
import { Timeout } from '../timeout.ts';
import { Path } from '../tls.ts';

const MIB = 1024 * 1024;

export const Texts = (description: string) => Type.Record(Type.String(), Type.String(), { description });

/** Bytes, or text such as 256MiB. */
export const Size = (description: string, [minimum, maximum]: readonly [number, number]) =>
  Type.Unsafe<number>({ type: 'number', 'x-unit': 'size', minimum, maximum, description });

const Duration = (description: string) =>
  Type.Unsafe<number>({
    type: 'number',
    'x-unit': 'duration',
    minimum: 0,
    maximum: 3600,
    default: '5s',
    description,
  });

const Codes = (description: string, fallback: readonly number[]) =>
  Type.Array(Type.Integer({ minimum: 0, maximum: 255 }), { default: fallback, description });

const Exit = Type.Object(
  {
    ok: Type.Optional(Codes('exit codes with which it has done its work', [0])),
    retry: Type.Optional(Codes('exit codes of trouble that may pass: the task is tried again', [75])),
    otherwise: Type.Optional(
      Type.Enum(['rejected', 'server'], {
        default: 'rejected',
        description: 'what every other code means: `rejected` fails the task, `server` tries it again',
      }),
    ),
  },
  { additionalProperties: false, description: 'what its exit code means' },
);

/**
 * What is done with a program whatever it is. None has a default in the schema: whoever reads a file fills those in, and what a
 * method leaves out is what stands above it.
 */
export const handling = {
  stdin: Type.Optional(
    Type.Enum(['json', 'none', 'text'], {
      description:
        'what it reads: `json`, the params as one JSON document, nothing, or `stdin_text`; `json` where it is left out',
    }),
  ),
  stdin_text: Type.Optional(
    Type.String({ description: 'for `stdin: text`: what it reads, `${params.name}` filled in' }),
  ),
  output: Type.Optional(
    Type.Enum(['json', 'text', 'lines', 'jsonl', 'none'], {
      description:
        'how its standard output becomes the result: one JSON document, one text, a list of lines, a list of JSON lines, or not at all; `json` where it is left out',
    }),
  ),
  exit: Type.Optional(Exit),
  timeout: Type.Optional(Timeout),
};

export const Command = (description: string) => Type.Array(Type.String(), { minItems: 1, description });

export const Environment = Type.Optional(
  Texts('variables it gets besides a few harmless ones; `${secrets.name}` is filled in'),
);

const surroundings = {
  cwd: Type.Optional(Path('the folder it runs in')),
  env: Environment,
  inherit_env: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      description: 'names of variables of the server that are handed on to it',
    }),
  ),
};

export const memoryLimit = Type.Optional(
  Size('memory that it and all it starts may hold; without a limit where it is left out', [MIB, 2 ** 50]),
);
export const outputLimit = Type.Optional(
  Size('standard output at most, 8 MiB where it is left out', [1, 64 * MIB]),
);
export const grace = Type.Optional(Duration('how long it may take to end by itself when it is asked to'));

const Limits = Type.Object(
  { memory: memoryLimit, output: outputLimit },
  { additionalProperties: false, description: 'what it may use' },
);

const MethodConfig = Type.Object(
  {
    command: Type.Optional(Command('the program for this method')),
    ...handling,
  },
  { additionalProperties: false },
);

export const ProcessConfig = Type.Object(
  {
    command: Type.Optional(
      Command('the program and its arguments, `${params.name}` filled in; no shell reads them'),
    ),
    methods: Type.Optional(
      Type.Record(Type.String(), MethodConfig, {
        description: 'what differs for single methods; without `command` beside it, these are all there are',
      }),
    ),
    ...handling,
    progress: Type.Optional(
      Type.Enum(['stderr', 'fd3', 'none'], {
        default: 'stderr',
        description: 'where it writes lines of JSON that tell how it is getting on',
      }),
    ),
    ...surroundings,
    limits: Type.Optional(Limits),
    grace,
  },
  { additionalProperties: false },
);

export const PythonConfig = Type.Object(
  {
    python: Type.Optional(
      Type.String({ minLength: 1, default: 'python3', description: 'the interpreter: a name or a path' }),
    ),
    code: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'whether tasks may bring code; otherwise they name files of `folder`',
      }),
    ),
    folder: Type.Optional(Path('the folder whose files tasks may name; none where it is left out')),
    retry: Type.Optional(Codes('exit codes of trouble that may pass', [75])),
    timeout: Type.Optional(Timeout),
    ...surroundings,
    limits: Type.Optional(Limits),
    grace,
  },
  { additionalProperties: false },
);

export function missing(field: string, hint: string): GleitzeitError {
  return new GleitzeitError('GLZ1012', `${field}: is missing`, { field, reason: 'is missing', hint });
}
