import type {
  ClientHttp2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from 'node:http2';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import { carryOut, type Pauses, type Way } from './carry-out.ts';
import { handOn } from './http-stream.ts';
import type { FaultProxyParts } from './proxy-parts.ts';
import type { WrongAnswer } from './spec.ts';
import { wrongText } from './wrong-text.ts';

export type GrpcParts = FaultProxyParts & { readonly pauses: Pauses };

/** The connection an answer goes back over. */
export type AnswerLine = {
  readonly parts: GrpcParts;
  readonly socket: Socket;
  /** Nothing is said on it any more. */
  silent: boolean;
};

const UNAVAILABLE = '14';
const INTERNAL = '13';
/** Whether what is told is compressed, and its length. */
const PREFIX = 5;
/** A field that says it is longer than what follows: no message of any type begins so. */
const NO_MESSAGE = Buffer.from([0x0a, 0xff]);

/** Lets what the service says meet what is planned for it. */
export function answerGrpc(line: AnswerLine, made: ClientHttp2Stream, stream: ServerHttp2Stream): void {
  let heard = false;
  const ended: Ended = { trailers: null, come: Promise.withResolvers<void>() };
  made.once('trailers', (trailers) => {
    ended.trailers = trailers;
    ended.come.resolve();
  });
  made.once('close', () => ended.come.resolve());
  made.once('response', (head, flags) => {
    heard = true;
    const whole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    // Taken at once: what nobody reads is thrown away when the service has said it all.
    const body = pipeline(made, new PassThrough(), () => {});
    deliver(line, { head, whole, body, ended }, stream).catch(() => close(stream));
  });
  made.on('error', (error) => {
    if (heard || line.silent || stream.destroyed || line.parts.pauses.ended) return;
    heard = true;
    line.parts.failed(error);
    const said = 'the service behind the fault proxy did not answer';
    stream.respond({ ...grpc, 'grpc-status': UNAVAILABLE, 'grpc-message': said }, { endStream: true });
  });
  made.once('close', () => {
    if (!heard) close(stream);
  });
}

type Ended = { trailers: IncomingHttpHeaders | null; readonly come: PromiseWithResolvers<void> };

type Said = {
  readonly head: IncomingHttpHeaders;
  /** The head is all of it: a status. */
  readonly whole: boolean;
  readonly body: AsyncIterable<Buffer>;
  readonly ended: Ended;
};

async function deliver(line: AnswerLine, said: Said, stream: ServerHttp2Stream): Promise<void> {
  const { pauses, plan: next } = line.parts;
  const plan = next();
  if (!(await pauses.wait(plan.wait_ms)) || stream.destroyed || line.silent) return;
  const { fault } = plan;
  if (fault === null || fault.kind === 'cut') {
    const { head, whole, body, ended } = said;
    const way = wayOf(line, stream, { head, trailers: () => (whole ? null : (ended.trailers ?? {})) });
    if (whole && fault === null) return void stream.respond(head, { endStream: true });
    if (!whole) way.begin(0);
    const done = () => void ended.come.promise.then(() => way.done());
    await handOn(body, plan, { way: { ...way, done }, pauses });
    return;
  }
  const how = fault.kind === 'wrong_answer' ? fault.how : 'empty';
  const wrong = await wrongAnswer(how, said.body);
  const carried = await carryOut(
    plan,
    { bytes: wrong.bytes, wrong: () => wrong.bytes },
    { way: wayOf(line, stream, wrong), pauses },
  );
  if (carried === 'silent') line.silent = true;
}

const grpc = { ':status': 200, 'content-type': 'application/grpc+proto' };

type Head = {
  readonly head: OutgoingHttpHeaders;
  /** Null for none at all. */
  readonly trailers: () => OutgoingHttpHeaders | null;
};

/** A page for people has no status of gRPC behind it; what is no such message has one that says it is well. */
async function wrongAnswer(how: WrongAnswer, body: AsyncIterable<Buffer>): Promise<Head & { bytes: Buffer }> {
  const bytes = Buffer.alloc(0);
  const well = { head: grpc, trailers: () => ({ 'grpc-status': '0' }) };
  if (how === 'empty') return { ...well, bytes };
  if (how === 'other_id') return { ...well, bytes: framed(NO_MESSAGE) };
  if (how === 'truncated') return { ...well, bytes: await halfOf(body) };
  if (how === 'not_json') {
    const head = { ':status': 200, 'content-type': 'text/html' };
    return { head, trailers: () => null, bytes: Buffer.from(wrongText(how, '')) };
  }
  const trailers = { 'grpc-status': INTERNAL, 'grpc-message': 'an error in the place of the answer' };
  return { head: grpc, trailers: () => trailers, bytes };
}

/** Half of the first message, under its whole length. */
async function halfOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  for await (const piece of body) {
    const length = Math.max(0, piece.length - PREFIX);
    return piece.subarray(0, PREFIX + Math.floor(length / 2));
  }
  return Buffer.alloc(0);
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function wayOf({ socket }: AnswerLine, stream: ServerHttp2Stream, { head, trailers }: Head): Way {
  return {
    begin: () => {
      stream.respond(head, { waitForTrailers: true });
      stream.once('wantTrailers', () => {
        const last = trailers();
        if (last === null) stream.close();
        else stream.sendTrailers(last);
      });
    },
    write: (piece) =>
      new Promise((resolve) => {
        stream.once('close', resolve);
        stream.write(piece, () => {
          stream.off('close', resolve);
          resolve();
        });
      }),
    done: () => void stream.end(),
    cut: () => void socket.destroy(),
    reset: () => void socket.resetAndDestroy(),
  };
}

function close(stream: ServerHttp2Stream): void {
  if (!stream.destroyed) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}
