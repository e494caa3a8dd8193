import { GleitzeitError } from '../../core/errors.ts';
import { child } from '../../core/json-pointer.ts';
import { mistake } from '../mapping/mistake.ts';
import { pointer } from '../mapping/pointer.ts';
import type { Scope } from '../mapping/template.ts';
import { type Got, scopeOfAnswer } from './answer.ts';
import type { PollConfig } from './config.ts';
import type { JobHandle } from './job-handle.ts';
import { atAddress } from './pages.ts';
import { type Asked, type RequestParts, requestTemplate } from './request.ts';

/** A job that the service has taken, with its answer. */
type Taken = { readonly submitted: Got; readonly scope: Scope };

/** How a job is asked for: by a path made of what the service answered, or at an address that it named. */
export type Question = {
  /** `asked` is what it was submitted with. */
  first(taken: Taken, asked: Asked): Asked;
  /** In a later attempt; null where what was kept is not what is needed for it now. */
  again(taken: Taken, address: JobHandle['address']): Asked | null;
};

export function questionOf(config: PollConfig, at: string, parts: RequestParts): Question {
  const { path, url, method = 'GET', query, body } = config;
  if (path === undefined && url === undefined)
    throw mistake(child(at, 'path'), 'is missing', 'one of path and url says where to ask');
  const useless = url === undefined ? undefined : path === undefined ? query && 'query' : 'path';
  if (useless !== undefined) throw mistake(child(at, useless), 'is of no use: url says where to ask');
  const sent = {
    method,
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
  };
  const make = requestTemplate(sent, at, { ...parts, heads: [...parts.heads, 'answer', 'http'] });
  const ask = ({ scope, submitted }: Taken) => make({ ...scope, ...scopeOfAnswer(submitted) });
  const named = url === undefined ? null : addressIn(url, at);
  return {
    first: (taken, asked) => {
      if (named === null) return ask(taken);
      return atAddress({ ...ask(taken), url: asked.url, foreign: asked.foreign }, named(taken.submitted));
    },
    again: (taken, address) => {
      try {
        return { ...ask(taken), ...address };
      } catch {
        // The mapping was changed since, and reads what was not kept.
        return null;
      }
    },
  };
}

function addressIn(url: string, at: string): (submitted: Got) => string {
  const read = url === 'location' ? null : pointer(url, child(at, 'url'));
  return ({ headers, value }) => {
    const found = read === null ? headers['location'] : read(value);
    if (typeof found === 'string' && found !== '') return found;
    const reason = `the service took the job, and did not say where to ask for it (${url})`;
    throw new GleitzeitError('GLZ2005', reason, { reason });
  };
}

/** Where the result lies apart from the state of the job; null where it does not. */
export function resultRequestOf({ result_path }: PollConfig, at: string, parts: RequestParts) {
  if (result_path === undefined) return null;
  const wider = { ...parts, heads: [...parts.heads, 'answer', 'submitted', 'http'] };
  const make = requestTemplate({ path: result_path }, at, wider);
  return ({ scope, submitted }: Taken, got: Got): Asked =>
    make({ ...scope, ...scopeOfAnswer(got), submitted: submitted.value });
}
