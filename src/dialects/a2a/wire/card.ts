import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts';
import { translationError } from '../../agent/translation-error.ts';
import { PROTOCOL, type WireVersion } from './model.ts';
import { given, listAt, objectAt, textAt, textsAt } from './parts.ts';

/** One address an agent can be spoken to at. */
export type CardInterface = {
  readonly url: string;
  /** `JSONRPC`, `GRPC`, `HTTP+JSON` or whatever the card says, in capitals. */
  readonly binding: string;
  readonly version: WireVersion;
  /** As the card says it; empty where it does not. */
  readonly said: string;
  readonly tenant?: string;
};

export type CardExtension = { readonly uri: string; readonly required: boolean };

export type CardSkill = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
};

/** What an agent says of itself, whichever version its card is written for. */
export type AgentCard = {
  readonly name: string;
  readonly description?: string;
  /** The agent's own version, not that of the protocol. */
  readonly version?: string;
  /** In the order of the agent's preference. */
  readonly interfaces: readonly CardInterface[];
  readonly streaming: boolean;
  readonly push_notifications: boolean;
  readonly extended_card: boolean;
  readonly extensions: readonly CardExtension[];
  readonly skills: readonly CardSkill[];
  readonly input_modes: readonly string[];
  readonly output_modes: readonly string[];
  /** Names of the schemes an agent asks callers to show one of; empty where it takes anybody. */
  readonly security: readonly string[];
};

/** Throws a translation error for what is no card: a page, a list, or an object that names neither agent nor address. */
export function readCard(value: Json): AgentCard {
  if (!isObject(value)) throw noCard('is no object', value);
  const interfaces = interfacesOf(value);
  const name = textAt(value, 'name');
  if (name === undefined && interfaces.length === 0)
    throw noCard('is no agent card: it has neither a name nor an address', value);
  const capabilities = objectAt(value, 'capabilities') ?? {};
  return {
    name: name ?? '',
    interfaces,
    streaming: own(capabilities, 'streaming') === true,
    push_notifications: own(capabilities, 'pushNotifications') === true,
    extended_card:
      own(capabilities, 'extendedAgentCard') === true ||
      own(value, 'supportsAuthenticatedExtendedCard') === true,
    extensions: objectsOf(capabilities, 'extensions').flatMap(extensionOf),
    skills: objectsOf(value, 'skills').flatMap(skillOf),
    input_modes: textsAt(value, 'defaultInputModes') ?? [],
    output_modes: textsAt(value, 'defaultOutputModes') ?? [],
    security: securityOf(value),
    ...given({ description: textAt(value, 'description'), version: textAt(value, 'version') }),
  };
}

/** Only versions from 1.0 on speak the new wire; 0.2.x, 0.3.x and cards that do not say speak the old one. */
export function wireOf(said: string): WireVersion {
  const major = Number.parseInt(said, 10);
  return major >= 1 ? '1.0' : '0.3';
}

/** Whether its members are those of 1.0. A card may have both: then the list that is ordered by preference counts. */
function interfacesOf(card: JsonObject): readonly CardInterface[] {
  const listed = objectsOf(card, 'supportedInterfaces').flatMap((item) => {
    const said = textAt(item, 'protocolVersion') ?? '1.0';
    return interfaceOf(item, { url: 'url', binding: 'protocolBinding', said });
  });
  return listed.length > 0 ? listed : legacyInterfaces(card);
}

function legacyInterfaces(card: JsonObject): readonly CardInterface[] {
  const said = textAt(card, 'protocolVersion') ?? '';
  const main = interfaceOf(card, { url: 'url', binding: 'preferredTransport', said });
  const others = objectsOf(card, 'additionalInterfaces').flatMap((item) =>
    interfaceOf(item, { url: 'url', binding: 'transport', said }),
  );
  const known = new Set(main.map(same));
  return [...main, ...others.filter((other) => !known.has(same(other)))];
}

function same({ url, binding }: CardInterface): string {
  return `${binding} ${url}`;
}

type Names = { readonly url: string; readonly binding: string; readonly said: string };

function interfaceOf(item: JsonObject, { url: at, binding, said }: Names): CardInterface[] {
  const url = textAt(item, at);
  if (url === undefined || url === '') return [];
  const tenant = textAt(item, 'tenant');
  return [
    {
      url,
      binding: (textAt(item, binding) ?? 'JSONRPC').toUpperCase(),
      version: wireOf(said),
      said,
      ...(tenant === undefined || tenant === '' ? {} : { tenant }),
    },
  ];
}

function objectsOf(holder: JsonObject, name: string): readonly JsonObject[] {
  return listAt(holder, name).filter(isObject);
}

function extensionOf(item: JsonObject): CardExtension[] {
  const uri = textAt(item, 'uri');
  return uri === undefined ? [] : [{ uri, required: own(item, 'required') === true }];
}

function skillOf(item: JsonObject): CardSkill[] {
  const id = textAt(item, 'id', 'name');
  if (id === undefined) return [];
  const more = given({ description: textAt(item, 'description'), tags: textsAt(item, 'tags') });
  return [{ id, name: textAt(item, 'name') ?? id, ...more }];
}

/** 0.3: `security: [{oauth: []}]`; 1.0: `securityRequirements: [{schemes: {oauth: {list: []}}}]`. */
function securityOf(card: JsonObject): readonly string[] {
  const old = objectsOf(card, 'security').flatMap((item) => Object.keys(item));
  const wrapped = objectsOf(card, 'securityRequirements').flatMap((item) =>
    Object.keys(objectAt(item, 'schemes') ?? {}),
  );
  return [...new Set([...old, ...wrapped])];
}

function noCard(reason: string, original_data: Json) {
  return translationError({
    protocol: PROTOCOL,
    direction: 'response',
    trouble: 'shape',
    reason,
    original_data,
  });
}
