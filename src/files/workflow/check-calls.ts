import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { MethodDefinition } from '../../core/protocol.ts';
import { type Finding, valueAt } from '../parsed.ts';
import { stepsOf } from '../path.ts';
import type { Draft } from './draft.ts';
import { type Known, type Options, shapeOf } from './known-task.ts';
import { writtenFor } from './made-params.ts';
import type { Member } from './members.ts';
import { judge } from './params.ts';
import { checkResultPaths, kindsOfUse, type ResultOf, shapeOfUse } from './results.ts';
import { isSecretAt } from './shape.ts';
import type { Use } from './texts.ts';
import { byPlace, writeTexts } from './write.ts';

/** Params against what the methods take, references against what they answer. */
export function checkCalls(known: readonly Known[], draft: Draft, protocols: Options['protocols']): void {
  const byId = Map.groupBy(known, ({ member }) => member.id);
  const resultOf: ResultOf = (id) => {
    // Of two with one id nobody knows which is meant.
    const [one, another] = byId.get(id) ?? [];
    return another === undefined ? one?.method?.returns : undefined;
  };
  for (const one of known) {
    const { at, params_at, renewed } = one.member;
    checkResultPaths(one.texts, resultOf, draft);
    // Params under a misspelt key, or that are none: of these somebody has been told.
    const astray = renewed.value['params'] === undefined && draft.hasStranger(at);
    if (one.method === undefined || astray || draft.isWrong(params_at)) continue;
    // What a function or a tool is given has no places of its own in the params.
    if (one.member.call?.paramsOf === undefined) checkParams(one, one.method, { resultOf, draft });
    if (draft.isSound(one.member.at)) checkLast(one, draft, protocols);
  }
}

function checkParams(
  { member, texts }: Known,
  method: MethodDefinition,
  { resultOf, draft }: { resultOf: ResultOf; draft: Draft },
): void {
  const shape = shapeOf(method);
  const judging = {
    texts: byPlace(texts),
    kindsOf: (use: Use) => kindsOfUse(use, resultOf),
    shapeOf: (use: Use) => shapeOfUse(use, resultOf),
  };
  for (const finding of judge(member.params, shape, member.params_at, judging)) {
    const inside = finding.path.slice(member.params_at.length);
    draft.report({ ...finding, ...ofBatchFile(finding, member, draft), secret: isSecretAt(shape, inside) });
  }
}

/** The param that a batch adds by itself stands nowhere in the file. */
function ofBatchFile({ path, part }: Finding, { at }: Member, { parsed }: Draft): Partial<Finding> {
  const key = String(path.at(-1));
  if (at[0] !== 'template' || part !== 'key' || !/^(?:file|image)_path$/.test(key)) return {};
  if (valueAt(parsed.value, path) !== undefined) return {};
  return {
    message: `the method takes no ${key}`,
    expected: null,
    hint: 'write ${file.path} where the file belongs',
  };
}

/** What only the engine can judge: patterns, formats, conditions. */
function checkLast(known: Known, draft: Draft, protocols: Options['protocols']): void {
  const { member, texts } = known;
  if (protocols?.checkParams === undefined || member.call === null) return;
  const { protocol, method } = member.call;
  const written = writeTexts(member.params, member.params_at, byPlace(texts), null) as JsonObject;
  const params = member.call.paramsOf?.(written) ?? written;
  try {
    protocols.checkParams({ protocol, method, params });
  } catch (thrown) {
    const { code, message, details } = GleitzeitError.from(thrown);
    const { field = '/params', reason = message, hint = null } = details;
    const param = stepsOf(field).slice(1);
    const inside = writtenFor(member.call, Object.keys(member.params), param);
    const path = [...member.params_at, ...inside];
    const isOfKey = /^(?:is missing$|unknown key)/.test(reason);
    const part = isOfKey && inside.length > 0 ? 'key' : 'value';
    // A param that no argument is for can only be named.
    const shown = inside.length > 0 || param.length === 0 ? reason : `params.${param.join('.')} ${reason}`;
    const secret = known.method !== undefined && isSecretAt(shapeOf(known.method), stepsOf(field).slice(1));
    draft.report({ path, part, code, message: shown, hint, secret });
  }
}
