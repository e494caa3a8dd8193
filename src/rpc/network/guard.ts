import { lookup } from 'node:dns/promises';
import type { buildConnector } from 'undici';
import { isInside, isPublic, type Network, parseAddress, parseNetwork } from '../../core/address.ts';
import { GleitzeitError } from '../../core/errors.ts';

/** The addresses of a name, in the order in which they are to be tried. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Says where we may go, for every address that nobody wrote into a configuration. */
export type AddressGuard = {
  /** Throws GLZ2010 for what can be refused without asking anybody: schemes, names and passwords, ports. */
  checkUrl(url: URL): void;
  /** The addresses behind a host, each of them found right. Rejects with GLZ2010 where one is not. */
  addressesOf(hostname: string): Promise<readonly string[]>;
};

export type GuardOptions = {
  /** Networks and names that may be called though they are not public: `10.1.0.0/16`, `files.example.org`, `*.example.org`. */
  readonly allow?: readonly string[];
  readonly resolve?: Resolve;
};

/** By the system's own resolver, as every other connection. */
export const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/** Public addresses, and what is allowed besides. Ask it again for each connection: names can change their addresses. */
export function addressGuard({ allow = [], resolve = systemResolve }: GuardOptions = {}): AddressGuard {
  const networks = allow.map(parseNetwork).filter((found) => found !== null);
  const names = allow.filter((one) => parseNetwork(one) === null).map(asName);
  const isAllowedName = (name: string) => names.some((allowed) => fits(name, allowed));
  const isAllowed = (text: string) => isAllowedAddress(text, networks);

  async function addressesOf(hostname: string): Promise<readonly string[]> {
    const name = bare(hostname);
    if (parseAddress(name) !== null) {
      if (isAllowed(name)) return [name];
      throw refused(name, 'it is not a public address');
    }
    const known = isAllowedName(name);
    if (!known && isOwnMachine(name)) throw refused(name, 'it is this machine');
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new GleitzeitError('GLZ2002', `the name ${name} has no address`);
    const wrong = known ? undefined : addresses.find((address) => !isAllowed(address));
    // One that is not public among others is a way in as good as if it were alone.
    if (wrong !== undefined) throw refused(name, 'one of its addresses is not public');
    return addresses;
  }

  function checkUrl(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw refused(url.protocol, 'only http:// and https:// are called');
    if (url.username !== '' || url.password !== '')
      throw refused(url.hostname, 'its address carries a name or a password');
    const port = Number(url.port);
    if (url.port !== '' && isOddPort(port) && !isKnown(bare(url.hostname)))
      throw refused(`${url.hostname}:${port}`, 'no web service listens at this port');
  }

  const isKnown = (name: string) =>
    isAllowedName(name) ||
    networks.some((network) => {
      const address = parseAddress(name);
      return address !== null && isInside(address, network);
    });

  return { checkUrl, addressesOf };
}

/** Connects to what the guard has found right and to nothing else: the name is not looked up a second time. */
export function guardedConnector(
  guard: AddressGuard,
  connect: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    const attempt = async () => {
      const addresses = (await guard.addressesOf(target.hostname)).slice(0, TRIED);
      for (const [index, hostname] of addresses.entries()) {
        const last = index === addresses.length - 1;
        const tried = await connected(connect, { ...target, hostname });
        if (tried.error === null || last) return tried;
      }
      throw new GleitzeitError('GLZ9001', 'a guard that gave no address let a call pass');
    };
    attempt().then(
      ({ error, socket }) => (error === null ? callback(null, socket) : callback(error, null)),
      (thrown: Error) => callback(thrown, null),
    );
  };
}

/** Of a name with many addresses. */
const TRIED = 4;

type Tried =
  | { readonly error: null; readonly socket: Parameters<buildConnector.Callback>[1] & object }
  | { readonly error: Error; readonly socket: null };

function connected(connect: buildConnector.connector, target: buildConnector.Options): Promise<Tried> {
  return new Promise((resolve) => {
    connect(target, (error, socket) => {
      if (socket !== null) resolve({ error: null, socket });
      else resolve({ error: error ?? new Error('no connection'), socket: null });
    });
  });
}

function isAllowedAddress(text: string, networks: readonly Network[]): boolean {
  const address = parseAddress(text);
  if (address === null) return false;
  return isPublic(address) || networks.some((network) => isInside(address, network));
}

/** Without the brackets of an address of version 6 and without the dot that ends a name, in small letters. */
function bare(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
}

/** As an address would have it: small letters, and letters of other alphabets in the way names are looked up. */
function asName(written: string): string {
  const wild = written.startsWith('*.');
  const plain = URL.parse(`http://${wild ? written.slice(2) : written}`)?.hostname ?? written;
  return wild ? `*.${bare(plain)}` : bare(plain);
}

function fits(name: string, allowed: string): boolean {
  return allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed;
}

/** These names mean this machine whatever a resolver says (RFC 6761). */
function isOwnMachine(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** Beyond the well-known ones: those that browsers refuse because something else than HTTP listens there. */
const oddPorts = new Set([
  0, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 10080, 11211,
]);

function isOddPort(port: number): boolean {
  return (port < 1024 && port !== 80 && port !== 443) || oddPorts.has(port);
}

function refused(what: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2010', `${what} is not called: ${reason}`, {
    reason,
    hint: 'where it should be called, add it to network.allow in the configuration of the server',
  });
}
