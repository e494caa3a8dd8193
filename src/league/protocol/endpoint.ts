import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Dispatch, DispatchReply } from '../../rpc/dispatch.ts';
import type { GetRoute, PlainAnswer, Route } from '../../rpc/listener/route.ts';
import type { RpcId } from '../../rpc/messages.ts';
import { plainPolicy, type RpcPolicy } from '../../rpc/policy.ts';
import { isFault, type LeagueAgent, type LeagueQuestion } from './agent.ts';
import { checkEnvelope } from './check-envelope.ts';
import { checkPayload } from './check-payload.ts';
import { contextIn, type Envelope, METHOD, newEnvelope, parseSender } from './envelope.ts';
import { type Fault, fault, faultMessage } from './faults.ts';
import { isRegistration, maySay, responseTo } from './messages.ts';
import { type RawRequest, readRequest } from './read-request.ts';
import { shownEnvelope } from './redact.ts';
import { type Asked, Repeats, requestMark } from './repeats.ts';

/** Valid JSON-RPC is answered with 200, whatever it is answered with; the rest with 400. */
export const leaguePolicy: RpcPolicy = {
  ...plainPolicy,
  batch: 'refused',
  null_id: 'refused',
  status: { ...plainPolicy.status, batch_refused: 400, content_type: { status: 415, code: -32600 } },
};

export type EndpointParts = {
  readonly agent: LeagueAgent;
  readonly clock: Pick<Clock, 'wall'>;
  readonly logger: Logger;
  /** What was answered before, where that outlives the process. */
  readonly repeats?: Repeats<JsonObject>;
};

/** What every agent of the league is reached by, for main to mount on a listener. */
export function leagueRoutes(parts: EndpointParts): readonly Route[] {
  const { agent } = parts;
  return [
    {
      ...{ kind: 'rpc', path: '/mcp', policy: leaguePolicy, websocket: false },
      dispatch: leagueDispatch(parts),
    },
    get('/health', () => ({ status: 'ok' })),
    get('/status', () => agent.status()),
  ];
}

function get(path: string, show: () => JsonObject): GetRoute {
  const answer = (): PlainAnswer => ({
    ...{ status: 200, type: 'application/json' },
    body: JSON.stringify(show()),
  });
  return { kind: 'get', path, access: 'open', when_quiet: 'served', answer };
}

/** One body and its answer, by the league's own order of checks. Never rejects. */
export function leagueDispatch(parts: EndpointParts): Dispatch<unknown> {
  const repeats = parts.repeats ?? new Repeats<JsonObject>();
  return {
    handle: async (body, _, signal) => {
      const read = readRequest(body);
      if ('fault' in read) {
        const said = refusal(read.fault, read.id, read.envelope);
        const about = { proven: null, fault: read.fault };
        await parts.agent.refused?.({ request: textOrNothing(body), response: said, ...about });
        return reply(said, read.malformed ? 400 : 200);
      }
      return reply(await answer({ ...parts, repeats }, read, signal), 200);
    },
  };
}

type Served = EndpointParts & { readonly repeats: Repeats<JsonObject> };

async function answer(served: Served, raw: RawRequest, signal: AbortSignal): Promise<JsonObject> {
  const question = admit(served.agent, raw);
  if ('code' in question) return refuse(served, raw, question, null);
  const asked = { sender: question.envelope.sender, id: raw.id, mark: requestMark(question) };
  const before = served.repeats.find(asked);
  if (before === 'reused') return refuse(served, raw, reusedId, null);
  if (before !== null) return inConversation(await before, question.envelope.conversation_id);
  return served.agent.remembers?.(question) === false
    ? resolve(served, { raw, question, signal })
    : remember(served, asked, () => resolve(served, { raw, question, signal }));
}

/** Who asks again may have begun anew, and knows its answer by the conversation too. */
function inConversation(response: JsonObject, conversation_id: string): JsonObject {
  const { result } = response;
  const envelope = isObject(result) ? result['envelope'] : undefined;
  if (!isObject(result) || !isObject(envelope)) return response;
  return { ...response, result: { ...result, envelope: { ...envelope, conversation_id } } };
}

const reusedId = fault('INVALID_JSON_RPC', 'this id was used for another message before');

/** Envelope, then sender and token. */
function admit(agent: LeagueAgent, raw: RawRequest): LeagueQuestion | Fault {
  const envelope = checkEnvelope(raw.envelope);
  if ('code' in envelope) return envelope;
  // It may be anything until its turn comes: what is no object has nothing in it that could be looked at.
  const payload = isObject(raw.payload) ? raw.payload : {};
  const question = { id: raw.id, envelope: envelope as LeagueQuestion['envelope'], payload };
  return foreign(agent, question.envelope) ?? agent.authenticate(question) ?? question;
}

/** Hub and spoke. */
function foreign(agent: LeagueAgent, envelope: LeagueQuestion['envelope']): Fault | null {
  const sender = parseSender(envelope.sender);
  if (sender !== null && maySay(envelope.message_type, sender.kind, agent.kind)) return null;
  return fault('AUTHORIZATION_FAILED', 'this sender may not say this here');
}

/** Only what was taken is remembered: what was refused changed nothing, and may be right the next time. */
async function remember(
  { repeats }: Served,
  asked: Asked,
  resolved: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const said = resolved();
  repeats.learn(asked, said);
  const response = await said;
  if ('error' in response) repeats.forget(asked);
  return response;
}

type Asking = { readonly raw: RawRequest; readonly question: LeagueQuestion; readonly signal: AbortSignal };

/** State, then payload, then what is asked for. */
async function resolve(served: Served, { raw, question, signal }: Asking): Promise<JsonObject> {
  const { agent, logger } = served;
  // Whoever registers has no token yet, and may give any name.
  const registers = isRegistration(question.envelope.message_type);
  const sender = registers ? null : question.envelope.sender;
  try {
    const wrong = agent.judge(question) ?? checkPayload(question.envelope.message_type, raw.payload);
    if (wrong !== null) return await refuse(served, raw, wrong, sender);
    const said = await agent.handle(question, signal);
    if (isFault(said)) return await refuse(served, raw, said, sender);
    return said.response ?? written(served, question, said);
  } catch (thrown) {
    const error =
      thrown instanceof Error ? (thrown.stack ?? thrown.message) : `a ${typeof thrown} was thrown`;
    logger.error('a message of the league could not be answered', {
      message_type: question.envelope.message_type,
      error,
    });
    return refuse(served, raw, fault('INTERNAL_ERROR', 'the log of this agent says more'), null);
  }
}

function written(
  { agent, clock }: Served,
  { id, envelope }: LeagueQuestion,
  said: { readonly payload: JsonObject; readonly context?: object },
): JsonObject {
  return leagueResponse({ id, envelope, sender: agent.sender, at: clock.wall(), ...said });
}

/** An answer as it is on the wire: the conversation is the one of the question, and it is about the same. */
export function leagueResponse(parts: {
  readonly id: string | number;
  readonly envelope: LeagueQuestion['envelope'];
  readonly sender: string;
  readonly at: number;
  readonly payload: JsonObject;
  readonly context?: object;
}): JsonObject {
  const { id, envelope, sender, at, payload, context } = parts;
  const around: Envelope = newEnvelope({
    ...{ message_type: responseTo(envelope.message_type), sender, at },
    conversation_id: envelope.conversation_id,
    context: { ...contextIn(envelope), ...context },
  });
  return { jsonrpc: '2.0', result: { envelope: { ...around }, payload }, id };
}

/** `proven`: whoever said it, where that is certain. */
async function refuse(
  { agent }: Served,
  raw: RawRequest,
  wrong: Fault,
  proven: string | null,
): Promise<JsonObject> {
  const response = refusal(wrong, raw.id, raw.envelope);
  const { id, envelope, payload } = raw;
  const params = {
    ...(envelope === undefined ? {} : { envelope }),
    ...(payload === undefined ? {} : { payload }),
  };
  const request = { jsonrpc: '2.0', id, method: METHOD, params };
  await agent.refused?.({ request, response, proven, fault: wrong });
  return response;
}

/** An error as it is on the wire. */
export function refusal(wrong: Fault, id: RpcId, envelope: Json | undefined): JsonObject {
  const { name, code, details } = wrong;
  const data = { envelope: shownEnvelope(envelope), details, error_code: name };
  return { jsonrpc: '2.0', error: { code, message: faultMessage(code), data }, id };
}

function reply(response: JsonObject, status: number): DispatchReply {
  return { text: JSON.stringify(response), status };
}

/** What could not be read is not shown: nobody knows where in it a token stands. */
function textOrNothing(body: Uint8Array | string): Json {
  return { unreadable: true, length: body.length };
}
