import type { JsonObject } from '../../core/json.ts';
import type { MethodDefinition } from '../../core/protocol.ts';
import type { Path } from '../path.ts';
import { checkAgent } from './agent-task.ts';
import type { BatchFile } from './batch.ts';
import { type Call, type CallParts, findMethod } from './call.ts';
import type { Draft } from './draft.ts';
import type { Linked } from './links.ts';
import { placesInParams } from './made-params.ts';
import type { Member } from './members.ts';
import type { ReadWorkflowOptions } from './options.ts';
import { isSecretAt, type Shape } from './shape.ts';
import { type ReferenceText, readTexts } from './texts.ts';
import { byPlace, writeTexts } from './write.ts';

export type Options = Pick<ReadWorkflowOptions, 'protocols' | 'list' | 'read'>;

/** A task with its references, and the method it calls where that is known. */
export type Known = Linked & { readonly method: MethodDefinition | undefined };

/** A finished task, and what it was made of. */
export type ReadTask = { readonly task: JsonObject; readonly member: Member };

export function callParts(draft: Draft, protocols: Options['protocols']): CallParts {
  return {
    report: (finding) => draft.report(finding),
    note: (finding) => draft.note(finding),
    protocols,
  };
}

type Reading = { readonly parts: CallParts; readonly in_batch: boolean };

export function readKnown(member: Member, ids: ReadonlySet<string>, { parts, in_batch }: Reading): Known {
  const method = member.call === null ? undefined : findMethod(member.call, parts);
  if (member.call !== null) checkAgent(member.call, parts);
  const shape = method === undefined ? undefined : shapeOf(method);
  const isSecret = (path: Path) =>
    shape !== undefined &&
    placesInParams(member.call, path.slice(member.params_at.length)).some((place) =>
      isSecretAt(shape, place),
    );
  const reading = { ids, in_batch, isSecret, report: parts.report, note: parts.note };
  const name = in_batch ? (member.renewed.value['name'] ?? null) : null;
  const texts = [
    ...readTexts(member.params, member.params_at, reading),
    ...readTexts(name, [...member.at, 'name'], reading),
  ];
  return { member, texts, method };
}

export function shapeOf({ params }: MethodDefinition): Shape {
  return { root: params, schema: params };
}

/** In today's words, ready to be submitted. */
export function finish(member: Member, texts: readonly ReferenceText[], file: BatchFile | null): JsonObject {
  const { renewed, call, params, params_at, at } = member;
  const places = byPlace(texts);
  const { params: _, name, ...rest } = renewed.value;
  const filled = writeTexts(params, params_at, places, file) as JsonObject;
  const written = call?.paramsOf?.(filled) ?? filled;
  const title = name === undefined ? {} : { name: writeTexts(name, [...at, 'name'], places, file) };
  const hasParams = Object.keys(written).length > 0;
  return { ...rest, ...title, ...called(call), ...(hasParams ? { params: written } : {}) };
}

function called(call: Call | null): JsonObject {
  if (call?.agent !== undefined) return { agent: call.agent };
  return call === null ? {} : { protocol: call.protocol, method: call.method };
}
