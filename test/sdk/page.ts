import { connect } from '../../src/sdk/index.ts';
import { cases } from './cases.ts';
import { type Controls, controlNames, type Keys, worldOf } from './world.ts';

/** What the page is given: one function that calls a control in the process that opened it. */
type Outside = { control(name: string, args: readonly unknown[]): Promise<unknown> };

type Given = { readonly keys: Keys; readonly nowhere: string };

/** Runs one case in the browser; what it throws arrives as text. */
async function runCase(subject: string, name: string, { keys, nowhere }: Given): Promise<string | null> {
  const { control } = globalThis as unknown as Outside;
  const entries = controlNames.map((each) => [each, (...args: unknown[]) => control(each, args)]);
  const world = worldOf({ connect, control: Object.fromEntries(entries) as Controls, keys, nowhere });
  try {
    await cases[subject]?.[name]?.(world);
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.stack}` : String(error);
  }
}

Object.assign(globalThis, { runCase, connect });
