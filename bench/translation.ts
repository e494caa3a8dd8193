import { Registry } from '@prometheus-io/client';
import type { Json, JsonObject } from '../src/core/json.ts';
import { readEnvelope } from '../src/dialects/a2a/wire/answers.ts';
import { inputParts, userMessage } from '../src/dialects/a2a/wire/input.ts';
import type { WireVersion } from '../src/dialects/a2a/wire/model.ts';
import { sendRequest } from '../src/dialects/a2a/wire/requests.ts';
import { readSaid } from '../src/dialects/a2a/wire/said.ts';
import { judgeTask } from '../src/dialects/a2a/wire/verdict.ts';
import { Translation } from '../src/dialects/agent/translation.ts';
import { answerLimits } from '../src/dialects/provider-type.ts';
import { readAnswer, requestBody } from '../src/dialects/simple-a2a/wire.ts';
import { systemClock } from '../src/embedded/system.ts';
import { readMessage } from '../src/rpc/answers.ts';
import { lineLogger } from '../src/telemetry/logger.ts';
import { agentMetrics } from '../src/telemetry/metrics/agents.ts';
import { payload } from './payload.ts';
import type { TranslationReport } from './system.ts';

const ROUNDS = 10;
const ID = '01980000-0000-7000-8000-000000000000';
const { key, text } = payload('translation');
const input: JsonObject = { key, text };

/** Metrics are counted; the log is silent, since how long a line takes depends on where it is written. */
const parts = {
  agent_name: 'bench',
  clock: systemClock,
  logger: lineLogger(
    'silent',
    () => {},
    () => new Date(),
  ),
  observer: agentMetrics(new Registry()),
  secrets: () => [],
};

type Dialect = {
  readonly protocol: string;
  build(): JsonObject;
  readonly answer: Json;
  read(value: Json): Json;
};

const simple: Dialect = {
  protocol: 'simple-a2a',
  build: () => requestBody(ID, input),
  answer: { task_id: ID, status: 'success', output: { text }, error: null },
  read: (value) => {
    const read = readAnswer(value, ID, []);
    if ('error' in read) throw read.error;
    return read.output;
  },
};

function a2a(version: WireVersion, result: JsonObject): Dialect {
  return {
    protocol: 'jsonrpc-2.0',
    build: () => {
      const message = userMessage({ call_id: ID, parts: inputParts(input) });
      return { jsonrpc: '2.0', id: ID, ...sendRequest({ version }, { message }) };
    },
    answer: { jsonrpc: '2.0', id: ID, result },
    read: (value) => {
      const envelope = readEnvelope(value, ID);
      if ('error' in envelope) throw new Error(envelope.error.message);
      const odd: string[] = [];
      const said = readSaid(envelope.result, odd);
      if (said.is !== 'task') throw new Error(`a ${said.is} came`);
      const verdict = judgeTask(said.task, { raw: envelope.result, structured: false, odd });
      if (verdict.is !== 'success') throw new Error(verdict.is);
      return verdict.output;
    },
  };
}

const dialects: Readonly<Record<string, Dialect>> = {
  'simple-a2a': simple,
  'A2A 0.3': a2a('0.3', {
    kind: 'task',
    id: 'remote',
    contextId: 'context',
    status: { state: 'completed', timestamp: '2026-01-01T00:00:00Z' },
    artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text }] }],
    history: [{ kind: 'message', messageId: `msg-${ID}`, role: 'user', parts: [{ kind: 'text', text }] }],
  }),
  'A2A 1.0': a2a('1.0', {
    task: {
      id: 'remote',
      contextId: 'context',
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-01T00:00:00Z' },
      artifacts: [{ artifactId: 'a', parts: [{ text }] }],
      history: [{ messageId: `msg-${ID}`, role: 'ROLE_USER', parts: [{ text }] }],
    },
  }),
};

/** From the task to the bytes that are sent, and from the bytes that came to the result as it is kept. */
export async function measureTranslation(calls: number): Promise<TranslationReport> {
  const report: Record<string, { request: number[]; response: number[] }> = Object.fromEntries(
    Object.keys(dialects).map((name) => [name, { request: [], response: [] }]),
  );
  const count = Math.ceil(calls / ROUNDS);
  for (let round = -1; round < ROUNDS; round++)
    for (const [name, dialect] of Object.entries(dialects)) {
      const [request, response] = [timeOf(count, building(dialect)), timeOf(count, reading(dialect))];
      // The first round is for the machine to get warm.
      if (round < 0) continue;
      report[name]?.request.push(request);
      report[name]?.response.push(response);
    }
  return report;
}

function building({ protocol, build }: Dialect): () => void {
  return () => {
    const translation = new Translation({ ...parts, protocol }, { task_id: ID, call_id: ID });
    Buffer.from(JSON.stringify(translation.request(input, build)));
  };
}

function reading({ protocol, answer, read }: Dialect): () => void {
  const bytes = Buffer.from(JSON.stringify(answer));
  return () => {
    const translation = new Translation({ ...parts, protocol }, { task_id: ID, call_id: ID });
    const message = readMessage(bytes, answerLimits.max_depth);
    if ('invalid' in message) throw new Error(message.invalid);
    const output = translation.response(
      () => message.value,
      () => read(message.value),
    );
    translation.extracted(output);
    JSON.stringify(output);
  };
}

/** Of this thread, so that whatever else the machine does does not count. */
function timeOf(count: number, once: () => void): number {
  const begun = process.threadCpuUsage();
  for (let index = 0; index < count; index++) once();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / count;
}
