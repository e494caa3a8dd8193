import { StringDecoder } from 'node:string_decoder';
import type { Answer } from '../../core/answer.ts';
import { errorRecord, GleitzeitError } from '../../core/errors.ts';
import type { Probe, Provider, ProviderCall } from '../../core/ports/provider.ts';
import type { ProgramEnd, ProgramPlace, ProgramRun, Programs } from '../../rpc/program/program.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import { reportWithout } from '../quiet-report.ts';
import type { Limit } from '../timeout.ts';
import { withoutSecrets } from '../without-secrets.ts';

/** A call made ready: the program to start, and what its end means. */
export type Prepared = {
  readonly run: Omit<ProgramRun, 'signal' | 'report' | 'heard'>;
  readonly limit: Limit | null;
  /** What it prints is told as it comes. */
  readonly streams: boolean;
  answer(end: ProgramEnd): Answer;
  /** After a program that was ended by us: what it may have left behind elsewhere. */
  clear?(): Promise<void>;
};

export type ProgramParts = {
  readonly id: string;
  readonly protocol: string;
  readonly programs: Programs;
  readonly hasMethod: (method: string) => boolean;
  /** Secrets the program was told: it may repeat them in its errors. */
  readonly secrets: () => readonly string[];
  readonly probe: Probe;
  /** Throws where the call does not fit the program. */
  prepare(call: ProviderCall): Prepared | Promise<Prepared>;
};

/** A program for each call. */
export function programProvider(parts: ProgramParts): Provider {
  const calls = new CallsUnderWay();
  return {
    id: parts.id,
    protocol: parts.protocol,
    hasMethod: parts.hasMethod,
    call: (call) => answer(parts, call, calls),
    probe: parts.probe,
    close: () => calls.close(),
  };
}

/** Programs are looked for and not started: nobody knows what they would do. Each is one of several names. */
export function programProbe(
  programs: Pick<Programs, 'find'>,
  wanted: readonly (readonly string[])[],
  place: () => ProgramPlace,
): Probe {
  const named = wanted.map((names) => names.join(' or ')).join(', ');
  return {
    asked: `is there ${named}?`,
    ask: async () => {
      for (const names of wanted)
        if ((await programs.find(names, place())) === null) {
          const reason = `there is no program ${names.join(' or ')} on this machine`;
          return { well: false, error: errorRecord('GLZ2002', reason) };
        }
      return { well: true, error: null };
    },
  };
}

async function answer(parts: ProgramParts, call: ProviderCall, calls: CallsUnderWay): Promise<Answer> {
  try {
    const prepared = await parts.prepare(call);
    const said = await calls.make(call.signal, prepared.limit, (signal) =>
      run(parts, prepared, { call, signal }),
    );
    return said.word === 'failed' ? failed(parts, said.error) : said;
  } catch (thrown) {
    return failed(parts, GleitzeitError.from(thrown, 'GLZ2001').toRecord());
  }
}

type Made = { readonly call: ProviderCall; readonly signal: AbortSignal };

async function run(parts: ProgramParts, prepared: Prepared, { call, signal }: Made): Promise<Answer> {
  const report = call.report === undefined ? undefined : reportWithout(call.report, parts.secrets);
  try {
    const end = await parts.programs.run({
      ...prepared.run,
      signal,
      report,
      heard: report !== undefined && prepared.streams ? streamTo(report) : undefined,
    });
    if (end.how !== 'exit') await prepared.clear?.();
    return prepared.answer(end);
  } catch (thrown) {
    if (signal.aborted) await prepared.clear?.();
    throw thrown;
  }
}

/** A character may arrive in two pieces. */
function streamTo(report: NonNullable<ProviderCall['report']>): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  return (chunk) => {
    const text = decoder.write(chunk);
    if (text !== '') report({ text });
  };
}

function failed({ secrets }: ProgramParts, error: Parameters<typeof withoutSecrets>[0]): Answer {
  return { word: 'failed', error: withoutSecrets(error, secrets()) };
}

/** What a program learns of the call besides its params. */
export function callEnvironment(call: ProviderCall): Readonly<Record<string, string>> {
  return {
    GLEITZEIT_CALL_ID: call.call_id,
    GLEITZEIT_TASK_ID: call.task_id,
    ...(call.workflow_id === null ? {} : { GLEITZEIT_WORKFLOW_ID: call.workflow_id }),
    GLEITZEIT_METHOD: call.method,
    GLEITZEIT_ATTEMPT: String(call.attempt),
    ...(call.traceparent === undefined ? {} : { TRACEPARENT: call.traceparent }),
  };
}
