import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { carryOut, type FaultyAnswer, type Pauses, type Way } from './carry-out.ts';
import { handOn, insteadOfStream, isStream } from './http-stream.ts';
import { type FaultProxyParts, type Outward, ofOneConnection } from './proxy-parts.ts';
import { wrongText } from './wrong-text.ts';

type AnswerParts = Pick<FaultProxyParts, 'plan' | 'max_answer' | 'failed'> & {
  readonly pauses: Pauses;
  readonly outward: Outward;
};

/** Asks the service, and lets its answer meet what is planned for it. */
export function answerByPlan(parts: AnswerParts, asked: IncomingMessage, response: ServerResponse): void {
  const made = parts.outward(asked);
  // Whoever gives up takes the call to the service along.
  response.once('close', () => made.destroy());
  made.once('error', (error) => {
    if (response.destroyed || parts.pauses.ended) return;
    parts.failed(error);
    response.socket?.destroy();
  });
  made.once('response', (said) => {
    deliver(parts, said, response).catch(() => response.socket?.destroy());
  });
  asked.on('error', () => made.destroy());
  asked.pipe(made);
}

async function deliver(parts: AnswerParts, said: IncomingMessage, response: ServerResponse): Promise<void> {
  const streams = isStream(said);
  const body = streams ? insteadOfStream.body : await bodyOf(said, parts.max_answer);
  const plan = parts.plan();
  if (!(await parts.pauses.wait(plan.wait_ms)) || response.destroyed) return;
  if (streams && (plan.fault === null || plan.fault.kind === 'cut')) {
    response.writeHead(said.statusCode ?? 200, carriedOn(said.headers)).flushHeaders();
    await handOn(said as AsyncIterable<Buffer>, plan, {
      way: wayOf(response, () => {}),
      pauses: parts.pauses,
    });
    return;
  }
  let status = said.statusCode ?? 502;
  const answer: FaultyAnswer = {
    bytes: body,
    wrong: (how) => {
      if (how === 'server_error') status = 500;
      return Buffer.from(how === 'server_error' ? 'Internal Server Error' : wrongText(how, body.toString()));
    },
  };
  const headers = { ...carriedOn(said.headers), ...(streams ? insteadOfStream.headers : {}) };
  const begin = (length: number) => void response.writeHead(status, { ...headers, 'content-length': length });
  await carryOut(plan, answer, { way: wayOf(response, begin), pauses: parts.pauses });
}

function wayOf(response: ServerResponse, begin: Way['begin']): Way {
  return {
    begin,
    write: (piece) =>
      new Promise((resolve) => {
        response.once('close', resolve);
        response.write(piece, () => {
          response.off('close', resolve);
          resolve();
        });
      }),
    done: () => void response.end(),
    cut: () => void response.socket?.destroy(),
    reset: () => void response.socket?.resetAndDestroy(),
  };
}

/** One that is too large ends where that is clear: whoever asked will not take so much. */
async function bodyOf(said: IncomingMessage, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of said) {
    pieces.push(piece as Buffer);
    size += (piece as Buffer).length;
    if (size > most) break;
  }
  return Buffer.concat(pieces);
}

function carriedOn(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !ofOneConnection.has(name)) kept[name] = value;
  return kept;
}
