import type { Static } from 'typebox';
import { GleitzeitError } from '../../core/errors.ts';
import { Type } from '../../type.ts';
import { Auth } from '../auth/config.ts';
import { Command, Environment, grace, handling, outputLimit, Size } from '../process/config.ts';
import { Path, Tls } from '../tls.ts';
import { isEngines } from './engine-variables.ts';

const MIB = 1024 * 1024;

const Image = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._/:@-]*$',
    'x-expected': 'the name of an image',
    description,
  });

const Mount = Type.Object(
  {
    source: Path('a file or folder of this machine'),
    target: Type.String({
      pattern: '^/[^,]*$',
      'x-expected': 'a path that begins with /',
      description: 'where it is seen',
    }),
    read_only: Type.Optional(Type.Boolean({ default: true, description: 'whether it can only be read' })),
  },
  { additionalProperties: false },
);

const Limits = Type.Object(
  {
    memory: Type.Optional(Size('memory of the container, 512 MiB where it is left out', [6 * MIB, 2 ** 50])),
    cpus: Type.Optional(
      Type.Number({ minimum: 0.01, maximum: 1024, description: 'processors; no limit where it is left out' }),
    ),
    pids: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, default: 256, description: 'processes and threads' }),
    ),
    output: outputLimit,
  },
  { additionalProperties: false, description: 'what the container may use' },
);

const Kubernetes = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://',
      'x-expected': 'an address that begins with https:// or http://',
      description: 'the address of the API server',
    }),
    namespace: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
        'x-expected': 'the name of a namespace',
        default: 'default',
        description: 'where jobs are made',
      }),
    ),
    auth: Type.Optional(Auth),
    tls: Type.Optional(Tls),
    service_account: Type.Optional(
      Type.String({ minLength: 1, description: 'whom pods run as; nobody where it is left out' }),
    ),
    poll: Type.Optional(
      Type.Unsafe<number>({
        type: 'number',
        'x-unit': 'duration',
        minimum: 0.01,
        maximum: 60,
        default: '1s',
        description: 'how often a job is looked at',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'calls become jobs of a cluster instead of containers on this machine',
  },
);

const MethodConfig = Type.Object(
  {
    image: Type.Optional(Image('the image for this method')),
    command: Type.Optional(Command('what is run in it for this method')),
    ...handling,
  },
  { additionalProperties: false },
);

export const ContainerConfig = Type.Object(
  {
    image: Image('the image that is run'),
    command: Type.Optional(
      Command(
        'what is run in it, `${params.name}` filled in; what the image itself names where it is left out',
      ),
    ),
    methods: Type.Optional(
      Type.Record(Type.String(), MethodConfig, { description: 'what differs for single methods' }),
    ),
    engine: Type.Optional(
      Type.Enum(['auto', 'docker', 'podman'], {
        description:
          'the program that runs containers; `auto`, or left out, takes docker, or podman where there is no docker',
      }),
    ),
    engine_path: Type.Optional(Path('where that program lies; looked for on the PATH where it is left out')),
    ...handling,
    env: Environment,
    network: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
        'x-expected': 'the name of a network',
        description: 'a network of the engine that it can reach; none where it is left out',
      }),
    ),
    read_only: Type.Optional(
      Type.Boolean({ default: true, description: 'whether its files can only be read, but for /tmp' }),
    ),
    user: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_][A-Za-z0-9_.:-]*$',
        'x-expected': 'a user, or user:group',
        description: 'whom it runs as; whom the image names where it is left out',
      }),
    ),
    workdir: Type.Optional(
      Type.String({
        pattern: '^/',
        'x-expected': 'a path that begins with /',
        description: 'the folder it runs in',
      }),
    ),
    mounts: Type.Optional(Type.Array(Mount, { description: 'what it sees of this machine' })),
    pull: Type.Optional(
      Type.Enum(['missing', 'always', 'never'], {
        default: 'missing',
        description: 'when the image is fetched from its registry',
      }),
    ),
    limits: Type.Optional(Limits),
    grace,
    kubernetes: Type.Optional(Kubernetes),
  },
  { additionalProperties: false },
);

export type Container = Static<typeof ContainerConfig>;
export type KubernetesConfig = NonNullable<Container['kubernetes']>;

export const DEFAULT_MEMORY = 512 * MIB;
export const DEFAULT_PIDS = 256;

/** A job has no standard input, no networks of an engine, and none of the files of this machine. */
const notInClusters = ['engine', 'engine_path', 'network', 'mounts', 'stdin', 'stdin_text'] as const;

export function checkContainer(config: Container): void {
  if (config.kubernetes === undefined) {
    checkVariables(config.env ?? {});
    return;
  }
  const key = notInClusters.find((name) => config[name] !== undefined);
  if (key !== undefined)
    refuse(key, 'has no meaning for a job of Kubernetes', 'leave it, or kubernetes, out');
  if (config.user !== undefined && !/^\d+(?::\d+)?$/.test(config.user))
    refuse('user', 'must be a number for a job of Kubernetes', 'write 65534, or 65534:65534');
}

/** These alone are handed over on the command line, since the engine would go by them otherwise. */
function checkVariables(env: Readonly<Record<string, string>>): void {
  const shown = Object.keys(env).find((name) => isEngines(name) && /\$\{secrets\./.test(env[name] ?? ''));
  if (shown !== undefined)
    refuse(`env/${shown}`, 'can hold no secret', 'everybody on the machine can read it: choose another name');
}

function refuse(key: string, reason: string, hint: string): never {
  const field = `/config/${key}`;
  throw new GleitzeitError('GLZ1012', `${field}: ${reason}`, { field, reason, hint });
}
