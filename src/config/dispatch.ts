import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Static } from 'typebox';
import { Type } from '../type.ts';
import type { Draft } from './draft.ts';
import type { SharedVariables } from './shared-variables.ts';
import { troubleOf } from './trouble.ts';
import { count, duration, item, path, section, text, texts } from './words.ts';

const topic = (description: string, fallback: string) =>
  text(description, {
    default: fallback,
    pattern: '^[A-Za-z0-9._-]{1,249}$',
    'x-expected': 'up to 249 letters, digits, dots, _ and -',
  });

const group = (description: string, fallback: string) =>
  text(description, {
    default: fallback,
    pattern: '^[^\\s\\p{Cc}]{1,249}$',
    'x-expected': 'up to 249 characters without spaces',
  });

/** How calls leave. */
export const dispatchSchema = section(
  'How calls leave: made by the engine itself, or published on a broker for bridges (`gleitzeit bridge`) to make.',
  {
    type: Type.Enum(['local', 'kafka', 'redis', 'rabbitmq'], {
      description:
        'the engine makes all calls, or one of the brokers carries them; `kafka` where KAFKA_BROKERS is set',
      default: 'local',
    }),
    brokers: texts('for `kafka`: where some of its brokers are', {
      pattern: '^(?:\\[[0-9A-Fa-f:.]+\\]|[^\\s:/,]+):\\d{1,5}$',
      'x-expected': 'a name and a port such as kafka:9092',
    }),
    url: Type.Optional(
      text('for `redis` and `rabbitmq`: where it is', {
        pattern: '^(?:rediss?|amqps?)://',
        'x-expected': 'an address that begins with redis:// or amqp://',
      }),
    ),
    username: Type.Optional(text('who the broker is told we are')),
    password: Type.Optional(text('what proves it: `${secrets.name}`, or `${NAME}`')),
    mechanism: Type.Enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], {
      description: 'for `kafka`: how it is proved',
      default: 'PLAIN',
    }),
    tls: Type.Optional(
      item('connect with TLS', {
        ca: Type.Optional(path('the authority to trust, PEM')),
        cert: Type.Optional(path('our certificate, PEM')),
        key: Type.Optional(path('its key, PEM')),
        servername: Type.Optional(text('the name the certificate of the broker is for')),
      }),
    ),
    topics: section('Names of topics, streams or queues.', {
      tasks: topic('calls for bridges to make; TASKS_TOPIC', 'orchestrator.tasks.http'),
      results: topic('how they ended; RESULTS_TOPIC', 'results.topic'),
      kept: topic('what running calls keep for the next attempt', 'gleitzeit.dispatch.kept'),
      updates: topic('how running calls are getting on', 'gleitzeit.dispatch.updates'),
      control: topic('calls that are not wanted any more', 'gleitzeit.dispatch.control'),
      dead_letters: topic('messages that nobody could read, and why', 'gleitzeit.dispatch.dead-letters'),
      monitoring: topic('what becomes of the steps of runs', 'workflow.monitoring.updates'),
      execution_requests: topic('workflows that others want to run', 'workflow.execution.requests'),
      cancellation_requests: topic('runs that others want to end', 'workflow.cancellation.requests'),
    }),
    partitions: count('of topics that are created here, where the broker has partitions', 12, [1, 10_000]),
    consumer_group: group(
      'the name under which all bridges share the work; CONSUMER_GROUP_ID',
      'http-bridge',
    ),
    engine_group: group('the name under which all engines of a store share the answers', 'gleitzeit-engines'),
    wait: duration(
      'how long a call may wait at the broker, and run beyond its own timeout, before the attempt is given up',
      '10m',
      [1, 604_800],
    ),
    window: count(
      'calls to one provider that all engines together may have at the broker at once, where its `limits` say nothing',
      1024,
      [1, 1_000_000],
    ),
    requests: Type.Boolean({
      description: 'run and cancel what others ask for over the broker',
      default: false,
    }),
    monitoring: Type.Boolean({
      description: 'tell others over the broker what becomes of the steps of runs',
      default: false,
    }),
  },
);

/** Names that engines and bridges were told by before; KAFKA_BROKERS is read on its own. */
export const dispatchVariables: SharedVariables = {
  TASKS_TOPIC: { path: ['dispatch', 'topics', 'tasks'] },
  RESULTS_TOPIC: { path: ['dispatch', 'topics', 'results'] },
  CONSUMER_GROUP_ID: { path: ['dispatch', 'consumer_group'] },
};

export type DispatchSettings = Readonly<Static<typeof dispatchSchema>>;

type Dispatch = {
  readonly type: string;
  readonly brokers: readonly string[];
  readonly url?: string;
  readonly tls?: Readonly<Record<string, string>>;
  readonly topics: Readonly<Record<string, string>>;
};

const addresses: Readonly<Record<string, readonly [pattern: RegExp, example: string]>> = {
  redis: [/^rediss?:/, 'redis://127.0.0.1:6379'],
  rabbitmq: [/^amqps?:/, 'amqp://127.0.0.1:5672'],
};

/** What a schema cannot say of how calls leave. */
export async function checkDispatch(dispatch: Dispatch, draft: Draft): Promise<void> {
  const { type, brokers, url, topics } = dispatch;
  const report = (key: string, message: string, hint: string) =>
    draft.report({ path: ['dispatch', key], part: 'value', message, hint });
  if (type === 'kafka' && brokers.length === 0)
    report('type', 'kafka needs brokers', 'add brokers: [127.0.0.1:9092], or set KAFKA_BROKERS');
  const [pattern, example = ''] = addresses[type] ?? [];
  if (pattern !== undefined && url === undefined)
    report('type', `${type} needs a url`, `add url: ${example}`);
  else if (pattern !== undefined && !pattern.test(url ?? ''))
    report('url', `is no address of ${type}`, `such as ${example}`);
  checkTopics(topics, draft);
  await checkFiles(dispatch, draft);
}

type Called = { readonly via?: 'local' | 'bridge' | undefined };

/** Who was to be called by bridges where no broker could carry the calls there. */
export function strandedCalls(
  { type }: Pick<Dispatch, 'type'>,
  protocols: readonly { readonly providers: readonly (Called & { readonly id: string })[] }[],
  agents: readonly (Called & { readonly name: string })[],
): string[] {
  const away = ({ via }: Called) => type === 'local' && via === 'bridge';
  const names = [
    ...protocols.flatMap(({ providers }) => providers.filter(away).map(({ id }) => `provider ${id}`)),
    ...agents.filter(away).map(({ name }) => `agent ${name}`),
  ];
  if (names.length === 0) return [];
  const what = 'via: bridge needs a broker, and dispatch.type is local';
  return [`${what}: the engine calls ${names.join(', ')} itself; set dispatch.type, or KAFKA_BROKERS`];
}

/** Whoever reads one of them would take what stands there for something else. */
function checkTopics(topics: Dispatch['topics'], draft: Draft): void {
  const seen = new Map<string, string>();
  for (const [key, name] of Object.entries(topics)) {
    const other = seen.get(name);
    if (other !== undefined)
      draft.report({
        path: ['dispatch', 'topics', key],
        part: 'value',
        message: `is the same as dispatch.topics.${other}`,
        hint: 'each has its own',
      });
    seen.set(name, key);
  }
}

async function checkFiles({ tls = {} }: Dispatch, draft: Draft): Promise<void> {
  for (const [key, file] of Object.entries(tls).filter(([name]) => name !== 'servername')) {
    try {
      await access(file, constants.R_OK);
    } catch (thrown) {
      const message = `cannot be read: ${troubleOf(thrown)}`;
      const hint = `is ${file} the right path?`;
      draft.report({ path: ['dispatch', 'tls', key], part: 'value', message, hint });
    }
  }
}
