import type { Answer } from '../../core/answer.ts';
import { classOf, type ErrorRecord, errorRecord, GleitzeitError } from '../../core/errors.ts';
import type { Probed, Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { GrpcChannel, GrpcMethod } from '../../rpc/grpc/grpc.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import { reportWithout } from '../quiet-report.ts';
import type { Limit } from '../timeout.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { answerFrom } from './answer.ts';

export type GrpcParts = {
  readonly id: string;
  readonly protocol: string;
  readonly channel: GrpcChannel;
  readonly methodFor: (method: string) => GrpcMethod | null;
  readonly metadata: () => Readonly<Record<string, string>>;
  /** Secrets the service was told: it may repeat them in its errors. */
  readonly secrets: () => readonly string[];
  readonly timeout: Limit | null;
};

/** gRPC: a task is a request, its params the message; of a stream the result is the list of its messages. */
export function grpcProvider(parts: GrpcParts): Provider {
  const calls = new CallsUnderWay();
  return {
    id: parts.id,
    protocol: parts.protocol,
    hasMethod: (method) => parts.methodFor(method) !== null,
    call: (call) => answer(parts, call, calls),
    probe: { asked: 'grpc.health.v1.Health/Check', ask: (signal) => checked(parts, signal) },
    close: async () => {
      await calls.close();
      await parts.channel.close();
    },
  };
}

/** Whoever refuses us by a status of gRPC is there; a server that cannot be reached has one of its own. */
async function checked(parts: GrpcParts, signal: AbortSignal): Promise<Probed> {
  const health = await parts.channel.check(signal);
  if (health.said === 'status') {
    const answered = answerFrom(health);
    const error = answered.word === 'failed' ? withoutSecrets(answered.error, parts.secrets()) : null;
    return { well: error !== null && classOf(error) === 'rejected', error };
  }
  if (health.said !== 'not_serving') return { well: true, error: null };
  return { well: false, error: errorRecord('GLZ2001', 'the service says that it serves nobody now') };
}

async function answer(parts: GrpcParts, call: ProviderCall, calls: CallsUnderWay): Promise<Answer> {
  try {
    const said = await calls.make(call.signal, parts.timeout, async (signal) =>
      answerFrom(await send(parts, call, signal)),
    );
    return said.word === 'failed' ? failed(parts, said.error) : said;
  } catch (thrown) {
    return failed(parts, GleitzeitError.from(thrown, 'GLZ2001').toRecord());
  }
}

function send(parts: GrpcParts, call: ProviderCall, signal: AbortSignal) {
  const method = parts.methodFor(call.method);
  if (method === null) throw new GleitzeitError('GLZ2010', `nothing is named for the method ${call.method}`);
  const { traceparent } = call;
  const report = call.report === undefined ? undefined : reportWithout(call.report, parts.secrets);
  return parts.channel.call({
    method,
    params: call.params,
    signal,
    timeout_ms: parts.timeout?.ms ?? null,
    metadata: {
      // Stays the same when the call is tried again.
      'idempotency-key': call.call_id,
      ...(traceparent === undefined ? {} : { traceparent }),
      ...parts.metadata(),
    },
    heard:
      report === undefined
        ? undefined
        : (message, count) => report({ progress: count, text: `${JSON.stringify(message)}\n` }),
  });
}

function failed({ secrets }: GrpcParts, error: ErrorRecord): Answer {
  return { word: 'failed', error: withoutSecrets(error, secrets()) };
}
