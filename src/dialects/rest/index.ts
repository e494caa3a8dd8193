import type { Json } from '../../core/json.ts';
import { child } from '../../core/json-pointer.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { checkConfig } from '../check-config.ts';
import { mistake } from '../mapping/mistake.ts';
import { pointer } from '../mapping/pointer.ts';
import { shape } from '../mapping/result.ts';
import { textTemplate } from '../mapping/template.ts';
import type { ProviderParts, ProviderSpec, ProviderType } from '../provider-type.ts';
import { accepts, mostBytes } from './answer.ts';
import { type BeforeConfig, type MethodConfig, RestConfig } from './config.ts';
import { errorRules } from './errors.ts';
import { type Compiling, openMapped } from './open.ts';
import { pagesOf } from './pages.ts';
import { pollOf } from './poll.ts';
import type { Operation, UsagePlaces } from './provider.ts';
import { type RequestParts, requestTemplate } from './request.ts';

export const restTypes: readonly ProviderType[] = [
  {
    type: 'rest',
    summary: 'Any HTTP API, by a mapping of methods to requests and of answers to results',
    files_only: false,
    schema: RestConfig,
    open: (spec, parts) => openRest(spec, parts, checkConfig(RestConfig, spec.config, '/config')),
  },
];

/** A provider by a mapping that fits the schema. */
export function openRest(spec: ProviderSpec, parts: ProviderParts, config: RestConfig): Provider {
  return openMapped(spec, parts, {
    config,
    compile: (name, compiling) => {
      const method = config.methods[name];
      return method === undefined
        ? null
        : compile(method, child('/config/methods', name), { config, ...compiling });
    },
  });
}

type Surroundings = Compiling & { readonly config: RestConfig };

function compile(
  method: MethodConfig,
  at: string,
  { config, wall, hide, ...texts }: Surroundings,
): Operation {
  const kind = method.answer ?? 'json';
  const request = { ...texts, base: new URL(config.url), accept: accepts[kind] };
  if (method.pagination !== undefined && method.poll !== undefined)
    throw mistake(child(at, 'poll'), 'stands beside pagination', 'a job has one result; leave one out');
  const places = { own: child(at, 'errors'), common: '/config/errors' };
  return {
    before: beforeOf(method.before, child(at, 'before'), request),
    make: requestTemplate(method, at, request),
    reading: {
      kind,
      content_types: (method.content_types ?? []).map((type) => type.toLowerCase()),
      ok: method.ok ?? [],
      rules: errorRules(method.errors ?? [], config.errors ?? [], places),
      wall,
      hide,
    },
    max_bytes: method.max_bytes ?? mostBytes(kind),
    shape: isWhole(method.result) ? null : shape(method.result, child(at, 'result')),
    usage: usagePlaces(method.usage, child(at, 'usage')),
    pages: method.pagination === undefined ? null : pagesOf(method.pagination, child(at, 'pagination')),
    poll: pollFor(method, child(at, 'poll'), request),
  };
}

function pollFor({ poll, result }: MethodConfig, at: string, parts: RequestParts): Operation['poll'] {
  return poll === undefined ? null : pollOf({ poll, result }, at, parts);
}

function beforeOf(config: BeforeConfig | undefined, at: string, parts: RequestParts): Operation['before'] {
  if (config === undefined) return null;
  const { when, ...request } = config;
  const asked = when === undefined ? null : textTemplate(when, child(at, 'when'), parts);
  return {
    wanted: (scope) => asked === null || (asked.fill(scope) ?? null) !== null,
    make: requestTemplate(request, at, parts),
  };
}

function isWhole(result: Json | undefined): result is undefined | '' {
  return result === undefined || result === '';
}

function usagePlaces(usage: MethodConfig['usage'], at: string): UsagePlaces | null {
  if (usage === undefined) return null;
  const { input_tokens, output_tokens } = usage;
  return {
    input_tokens: input_tokens === undefined ? null : pointer(input_tokens, child(at, 'input_tokens')),
    output_tokens: output_tokens === undefined ? null : pointer(output_tokens, child(at, 'output_tokens')),
  };
}
