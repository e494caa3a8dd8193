import { type Json, type JsonObject, own } from '../../core/json.ts';
import { objectIn, textIn } from '../../core/members.ts';
import type { Scope } from '../mapping/template.ts';
import { type Got, scopeOfAnswer } from './answer.ts';
import type { MethodConfig, PollConfig } from './config.ts';
import { placesIn } from './job-places.ts';
import type { Asked } from './request.ts';

/** What a job is found by again in another attempt: of what the service said only what the mapping reads. */
export type JobHandle = {
  readonly submitted: Got;
  /** What the request before it was answered with. */
  readonly before: Json | undefined;
  /** Where the service said that the job is to be asked for, and whether somebody else chose that place. */
  readonly address: { readonly url: URL; readonly foreign: boolean } | null;
};

export type HandleForm = {
  write(job: { readonly submitted: Got; readonly scope: Scope; readonly question: Asked }): JsonObject;
  /** Null for what is none of ours: the provider may have been another when it was kept. */
  read(kept: JsonObject): JobHandle | null;
};

type Mapping = { readonly poll: PollConfig; readonly result: MethodConfig['result']; readonly base: URL };

export function handleForm({ poll, result, base }: Mapping): HandleForm {
  const { path, query, body, result_path, url } = poll;
  const asking = [path, query as Json | undefined, body];
  const ending = [result_path, result];
  const said = placesIn({ head: 'answer', parts: asking }, { head: 'submitted', parts: ending });
  const told = placesIn({ head: 'http', parts: asking });
  const first = placesIn({ head: 'before', parts: [...asking, result_path] });
  const service = `${base.origin}${base.pathname}`;
  return {
    write: ({ submitted, scope, question }) => ({
      rest_job: service,
      ...(said === null ? {} : { answer: said(submitted.value) }),
      ...(told === null ? {} : { http: told(scopeOfAnswer(submitted)['http'] ?? null) }),
      ...(first === null ? {} : { before: first(scope['before'] ?? null) }),
      ...(url === undefined ? {} : { url: question.url.href, foreign: question.foreign }),
    }),
    read: (kept) => {
      const address = textIn(kept, 'url');
      const found = address === null ? null : URL.parse(address);
      if (own(kept, 'rest_job') !== service || (url === undefined) !== (found === null)) return null;
      return {
        submitted: gotFrom(kept),
        before: own(kept, 'before') as Json | undefined,
        address: found === null ? null : { url: found, foreign: own(kept, 'foreign') === true },
      };
    },
  };
}

function gotFrom(kept: JsonObject): Got {
  const http = objectIn(kept, 'http');
  const status = own(http, 'status');
  const told = Object.entries(objectIn(http, 'headers'));
  return {
    value: (own(kept, 'answer') as Json | undefined) ?? null,
    status: typeof status === 'number' ? status : 0,
    headers: Object.fromEntries(told.map(([name, text]) => [name, String(text)])),
    bytes: 0,
    retry_after_ms: undefined,
  };
}
