import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Certificates made for one test run, so that neither keys nor dates of expiry are kept in the repository. */
export type Identity = { readonly cert: string; readonly key: string };
export type Authority = { readonly cert: string; issue(name: string): Identity };

export function makeAuthority(name = 'test authority'): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { name, key: keys.privateKey };
  return {
    cert: certificate({ name, publicKey: keys.publicKey, issuer, extensions: [isAuthority] }),
    issue: (subject) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = [alternativeNames(subject)];
      return {
        cert: certificate({ name: subject, publicKey: own.publicKey, issuer, extensions }),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

type Request = {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly issuer: { readonly name: string; readonly key: KeyObject };
  readonly extensions: readonly Buffer[];
};

const DAY = 24 * 60 * 60 * 1000;
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));

function certificate({ name, publicKey, issuer, extensions }: Request): string {
  const toBeSigned = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(time(Date.now() - DAY), time(Date.now() + DAY)),
    distinguishedName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', toBeSigned, issuer.key);
  const der = sequence(toBeSigned, ecdsaWithSha256, tag(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').replaceAll(/.{64}(?!$)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const isAuthority = sequence(
  oid('551d13'),
  tag(0x01, Buffer.from([0xff])),
  tag(0x04, sequence(tag(0x01, Buffer.from([0xff])))),
);

function alternativeNames(name: string): Buffer {
  const loopback = tag(0x87, Buffer.from([127, 0, 0, 1]));
  return sequence(oid('551d11'), tag(0x04, sequence(tag(0x82, Buffer.from(name)), loopback)));
}

function distinguishedName(name: string): Buffer {
  return sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(name)))));
}

function time(ms: number): Buffer {
  return tag(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`));
}

function oid(hex: string): Buffer {
  return tag(0x06, Buffer.from(hex, 'hex'));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts));
}

function tag(kind: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([kind, ...size]), content]);
}
