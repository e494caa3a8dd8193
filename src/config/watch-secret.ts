import { createHash } from 'node:crypto';
import { readSecretFile } from './secret-file.ts';
import { type WatchParts, watchFile } from './watch.ts';

export type WatchedSecret = {
  /**
   * The secrets that are in force from this file, and what they say; null where none is. Returns whether that is what the
   * file said when it was last looked at.
   */
  inForce(names: readonly string[], value: string | null): boolean;
  close(): void;
};

/** Calls when a file says another secret than the one in force. One that cannot be used is told of once. */
export function watchSecret(
  parts: Omit<WatchParts, 'hash'> & { readonly names: readonly string[] },
): WatchedSecret {
  const { file, logger } = parts;
  let { names } = parts;
  let known = '';
  let trouble: { readonly trouble: string; readonly hint: string | null } | null = null;
  let told: string | null = null;
  let closed = false;

  const shown = () => names.map((name) => `secrets.${name}`);
  const tell = () => {
    const reason = trouble?.trouble ?? null;
    // Of a file that only a configuration names that was not taken, the log has told already.
    if (closed || names.length === 0 || reason === told) return;
    told = reason;
    if (trouble === null)
      return logger.info('the file of a secret can be used again', { settings: shown(), file });
    logger.warn('the file of a secret cannot be used; the secret that is in force stays', {
      settings: shown(),
      file,
      reason,
      hint: `it is taken by itself as soon as it can be used${trouble.hint === null ? '' : `; ${trouble.hint}`}`,
    });
  };
  const hashOf = async () => {
    const read = await readSecretFile(file);
    trouble = 'trouble' in read ? read : null;
    tell();
    return 'trouble' in read ? null : hashOfText(read.value);
  };
  const lost = (reason: string) => {
    // What is wrong with the file itself says as much of its folder.
    if (trouble === null && names.length > 0)
      logger.warn('the file of a secret cannot be watched; looking at it every few seconds', {
        settings: shown(),
        file,
        reason,
      });
  };
  const watching = watchFile({ ...parts, hash: known, hashOf, lost });
  return {
    inForce: (next_names, value) => {
      names = next_names;
      // It may have been taken and gone before this was heard.
      tell();
      const now = value === null ? '' : hashOfText(value);
      const isNew = now !== known;
      known = now;
      // A reload that was refused leaves the one before in force: that is no reason to ask for another one.
      if (isNew && value !== null) watching.knows(now);
      return watching.known() === now;
    },
    close: () => {
      closed = true;
      watching.close();
    },
  };
}

function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
