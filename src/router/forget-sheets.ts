import { GleitzeitError } from '../core/errors.ts';

export type ForgetSheetsParts = {
  readonly versions: () => Promise<readonly { readonly name: string; readonly version: number }[]>;
  /** Rejects with GLZ1013 where it is at another version. */
  readonly remove: (name: string, expect: number) => Promise<unknown>;
  /** No other engine works on the store. */
  readonly isAlone: () => Promise<boolean>;
};

/** Who may have limits of its own: providers by id, protocols by name. */
export type Limited = { readonly providers: readonly string[]; readonly protocols: readonly string[] };

/**
 * Removes the sheets of providers and protocols that are no more; where there are other engines, these may still have
 * them. Whoever comes meanwhile writes what it uses, and a sheet that was written is not removed.
 */
export async function forgetSheets(known: Limited, parts: ForgetSheetsParts): Promise<void> {
  const sheets = await parts.versions();
  const left = sheets.filter(({ name }) => !isKnown(name, known));
  if (left.length === 0 || !(await parts.isAlone())) return;
  for (const { name, version } of left)
    await parts.remove(name, version).catch((thrown: unknown) => {
      if (GleitzeitError.from(thrown).code !== 'GLZ1013') throw thrown;
    });
}

/** What makes no sense to us may do so to a later version. */
function isKnown(name: string, { providers, protocols }: Limited): boolean {
  const [, kind, who = ''] =
    /^(provider|protocol) (.*)$/s.exec(name) ?? /^(keys) (.*) \d+$/s.exec(name) ?? [];
  if (kind === undefined) return true;
  return (kind === 'provider' ? providers : protocols).includes(who);
}
