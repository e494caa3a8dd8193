import { type Json, type JsonObject, own } from '../../core/json.ts';
import { MAX_NAME } from '../../core/limits.ts';
import { spanAt } from '../parsed.ts';
import type { Draft } from './draft.ts';

/** What a file says besides its tasks. */
export type Head = {
  readonly name: string;
  readonly fields: Readonly<Record<string, Json>>;
  /** For tasks that have none of their own. */
  readonly timeout: Json | undefined;
  readonly wait_for_completion: boolean | null;
};

export function readHead(value: JsonObject, file: string, draft: Draft): Head {
  const name = textOf(value, 'name') ?? textOf(value, 'workflow_id') ?? nameOfFile(file);
  const version = readVersion(value, draft);
  const timeout = own(value, 'timeout') as Json | undefined;
  if (timeout !== undefined) {
    const message = 'is an older key, read as the timeout of every task that has none';
    draft.note({ path: ['timeout'], part: 'key', message, hint: 'write timeout in the tasks' });
  }
  return {
    name,
    fields: { name, ...(version === null ? {} : { version }) },
    timeout,
    wait_for_completion: readWait(value, draft),
  };
}

function textOf(value: JsonObject, key: string): string | null {
  const found = own(value, key);
  return typeof found === 'string' && found !== '' ? found : null;
}

/** `reports/daily.gleitzeit.yaml` is `daily`. */
function nameOfFile(file: string): string {
  const name = file.replace(/^.*[/\\]/, '').replace(/(?:\.gleitzeit)?\.(?:ya?ml|json)$/i, '');
  return name.trim() === '' || name === '-' ? 'workflow' : name.trim().slice(0, MAX_NAME);
}

/** YAML makes a number of `1.10`; what was written is what is meant. */
function readVersion(value: JsonObject, draft: Draft): string | null {
  const version = own(value, 'version');
  if (typeof version !== 'number') return textOf(value, 'version');
  const { start, end } = spanAt(draft.parsed.root, ['version'], 'value');
  const written = draft.parsed.source.text.slice(start, end);
  const hint = `write version: "${written}"`;
  draft.note({ path: ['version'], part: 'value', message: 'is a number, read as text', hint });
  return written;
}

function readWait(value: JsonObject, draft: Draft): boolean | null {
  const wait = own(value, 'wait_for_completion');
  if (wait !== undefined) {
    const hint = 'leave it out: gleitzeit run waits, gleitzeit submit does not';
    const message = 'is an older key, read as whether to wait for the end';
    draft.note({ path: ['wait_for_completion'], part: 'key', message, hint });
  }
  return typeof wait === 'boolean' ? wait : null;
}
