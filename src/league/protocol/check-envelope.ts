import { isObject, type Json, own } from '../../core/json.ts';
import { type Envelope, isId, PROTOCOL, parseSender } from './envelope.ts';
import { type Fault, fault } from './faults.ts';
import { contextFields, contextOf, isMessageType, isRegistration, isRequestType } from './messages.ts';

const required = ['protocol', 'message_type', 'sender', 'timestamp', 'conversation_id'] as const;
const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const utcTime = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|\+00:00)$/;
const LONGEST_TOKEN = 4096;

/** The envelope of a question, or the first rule it breaks. Pure: whether its token is right is asked afterwards. */
export function checkEnvelope(envelope: Json | undefined): Envelope | Fault {
  if (envelope === undefined) return fault('MISSING_ENVELOPE', 'params has no envelope');
  if (!isObject(envelope)) return fault('MISSING_ENVELOPE', 'the envelope is no object');
  return (
    missingField(envelope) ??
    wrongProtocol(envelope) ??
    wrongType(envelope) ??
    wrongSender(envelope) ??
    wrongTime(envelope) ??
    wrongConversation(envelope) ??
    wrongToken(envelope) ??
    wrongContext(envelope) ??
    withoutNothing(envelope)
  );
}

/** Some write `null` for what they do not say. */
function withoutNothing(envelope: Said): Envelope {
  return Object.fromEntries(Object.entries(envelope).filter(([, value]) => value !== null)) as Envelope;
}

type Said = { readonly [key: string]: Json };

export function missing(field: string): Fault {
  return fault('MISSING_REQUIRED_FIELD', `Missing required field: ${field}`);
}

function missingField(envelope: Said): Fault | null {
  const absent = required.find((field) => !Object.hasOwn(envelope, field));
  return absent === undefined ? null : missing(absent);
}

function wrongProtocol({ protocol }: Said): Fault | null {
  return protocol === PROTOCOL ? null : fault('INVALID_PROTOCOL_VERSION', `protocol must be "${PROTOCOL}"`);
}

function wrongType({ message_type }: Said): Fault | null {
  if (!isMessageType(message_type))
    return fault('INVALID_MESSAGE_TYPE', 'message_type is none of the league');
  return isRequestType(message_type)
    ? null
    : fault('INVALID_MESSAGE_TYPE', 'message_type is that of an answer, not of a question');
}

function wrongSender({ sender }: Said): Fault | null {
  if (typeof sender === 'string' && parseSender(sender) !== null) return null;
  return fault(
    'INVALID_SENDER_FORMAT',
    'sender must be league_manager, admin, referee:<id> or player:<id>, with an id of letters, digits, _ and -',
  );
}

function wrongTime({ timestamp }: Said): Fault | null {
  if (typeof timestamp === 'string' && isUtcTime(timestamp)) return null;
  return fault('INVALID_TIMESTAMP', 'timestamp must be ISO-8601 in UTC, such as 2026-01-31T10:00:00Z');
}

/** Any number of digits behind the second that clocks have, and only days and hours that there are. */
export function isUtcTime(text: string): boolean {
  const [, day, time] = utcTime.exec(text) ?? [];
  if (day === undefined || time === undefined) return false;
  const at = Date.parse(`${day}T${time}Z`);
  // The runtime takes the 31st of short months for the first days of the next.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${day}T${time}`);
}

function wrongConversation({ conversation_id }: Said): Fault | null {
  if (typeof conversation_id === 'string' && uuidV4.test(conversation_id)) return null;
  return fault('INVALID_ENVELOPE_FIELD', 'conversation_id must be a UUID v4');
}

function wrongToken(envelope: Said): Fault | null {
  const { message_type } = envelope;
  const token = own(envelope, 'auth_token');
  if (isMessageType(message_type) && isRegistration(message_type))
    return token === undefined || token === null
      ? null
      : fault('INVALID_ENVELOPE_FIELD', 'a registration carries no auth_token');
  if (token === undefined || token === null) return missing('auth_token');
  if (typeof token === 'string' && token !== '' && token.length <= LONGEST_TOKEN) return null;
  return fault('INVALID_ENVELOPE_FIELD', 'auth_token must be a text');
}

/** What a message has to be about is said; what it says besides is in order too. */
function wrongContext(envelope: Said): Fault | null {
  const { message_type } = envelope;
  const needed = isRequestType(message_type) ? contextOf(message_type) : [];
  for (const field of contextFields) {
    const said = own(envelope, field);
    const absent = said === undefined || said === null;
    if (absent && needed.includes(field)) return missing(field);
    if (!absent && !isId(said))
      return fault('INVALID_ENVELOPE_FIELD', `${field} must be an id of letters, digits, _ and -`);
  }
  return null;
}
