import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { isIP } from 'node:net';
import { parseNetwork } from '../core/address.ts';
import type { Draft } from './draft.ts';
import type { CheckedConfig } from './schema.ts';
import { troubleOf } from './trouble.ts';

type Server = CheckedConfig['server'];

/** What a schema cannot say of the server. */
export async function checkServer(server: Server, draft: Draft): Promise<string[]> {
  checkKeyNames(server, draft);
  await checkTls(server, draft);
  if (isLoopback(server.host)) return [];
  if (server.keys.length === 0) {
    draft.report({
      path: ['server', 'host'],
      part: 'value',
      message: 'can be reached from other machines, and there are no keys',
      found: draft.checking.isLoose?.(['server', 'host']) ? null : JSON.stringify(server.host),
      hint: 'add server.keys (gleitzeit token create prints an entry), or listen on 127.0.0.1',
    });
  }
  const bare =
    'server.host can be reached from other machines without TLS: keys travel readable unless something in front of it encrypts';
  return server.tls === undefined ? [bare] : [];
}

/** What looks like a network or an address and is none would be taken for a name that nobody has. */
export function checkNetwork({ allow }: CheckedConfig['network'], draft: Draft): void {
  for (const [index, written] of allow.entries()) {
    const numeric = /[/:]|^[\d.]+$/.test(written);
    if (!numeric || parseNetwork(written) !== null) continue;
    draft.report({
      path: ['network', 'allow', index],
      part: 'value',
      message: 'is neither a network nor an address',
      hint: 'write 10.1.0.0/16, fd00::/8, an address, or a name without a port',
    });
  }
}

function checkKeyNames({ keys }: Server, draft: Draft): void {
  const names = new Set<string>();
  for (const [index, { name }] of keys.entries()) {
    if (names.has(name)) {
      const message = `a key of the name "${name}" stands twice`;
      draft.report({ path: ['server', 'keys', index, 'name'], part: 'value', message });
    }
    names.add(name);
  }
}

async function checkTls({ tls }: Server, draft: Draft): Promise<void> {
  for (const [key, file] of Object.entries(tls ?? {})) {
    try {
      await access(file, constants.R_OK);
    } catch (thrown) {
      const message = `cannot be read: ${troubleOf(thrown)}`;
      draft.report({
        path: ['server', 'tls', key],
        part: 'value',
        message,
        hint: `is ${file} the right path?`,
      });
    }
  }
}

export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return isIP(bare) === 6 && /^(?:0*:)*:?0*1$|^::ffff:127\./.test(bare) && bare !== '1';
}
