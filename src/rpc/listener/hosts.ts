import { isIP } from 'node:net';

/**
 * A page in somebody's browser can have its own name resolve to this machine, and then speak to us as its own origin.
 * What it cannot do is make the browser send another name: so a name that is not ours is refused.
 */
export class HostCheck {
  readonly #names: ReadonlySet<string>;
  readonly #any: boolean;
  /** Most requests come by the same name as the one before. */
  #last: string | undefined;

  constructor(allowed: readonly string[]) {
    this.#any = allowed.includes('*');
    this.#names = new Set(allowed.map((name) => name.toLowerCase()));
  }

  /** `local` is the address at which the request arrived. An address cannot be made to resolve to another. */
  allows(host: string | undefined, local: string | undefined): boolean {
    if (this.#any) return true;
    if (host === undefined) return false;
    if (host === this.#last) return true;
    const whole = host.toLowerCase();
    const name = withoutPort(whole);
    if (this.#isOurs(whole, name)) {
      this.#last = host;
      return true;
    }
    return local !== undefined && isIP(name) !== 0 && name === plainAddress(local);
  }

  #isOurs(whole: string, name: string): boolean {
    return isLoopbackName(name) || this.#names.has(name) || this.#names.has(whole);
  }
}

export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}

function isLoopbackAddress(name: string): boolean {
  return name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** The name of `name:port` or `[address]:port`. */
function withoutPort(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  const colon = host.indexOf(':');
  return colon === -1 ? host : host.slice(0, colon);
}

/** IPv4 as it is written in a Host header, also where the socket speaks IPv6. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address.toLowerCase();
}
