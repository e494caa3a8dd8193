import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** One request as it came over the wire, before anything was decoded. */
export type SignedRequest = {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Expected = {
  readonly access_key: string;
  readonly secret_key: string;
  readonly region: string;
  readonly service: string;
  readonly now: number;
};

const ALGORITHM = 'AWS4-HMAC-SHA256';
const SKEW_MS = 5 * 60_000;

/** Signature Version 4, made again from the request itself. Null where it is right, else what is wrong with it. */
export function signatureTrouble(request: SignedRequest, expected: Expected): string | null {
  const { headers } = request;
  const read =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (read === null) return 'no authorization of this kind';
  const [, key = '', day = '', region = '', service = '', names = '', signature = ''] = read;
  const at = String(headers['x-amz-date']);
  if (key !== expected.access_key) return 'an unknown access key';
  if (region !== expected.region || service !== expected.service) return 'another region or service';
  if (!at.startsWith(day) || Math.abs(timeOf(at) - expected.now) > SKEW_MS) return 'another day or time';
  const signed = names.split(';');
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz'))];
  const left = needed.find((name) => !signed.includes(name));
  if (left !== undefined) return `${left} is not signed`;
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = [ALGORITHM, at, scope, sha256(canonical(request, signed))].join('\n');
  const secret = [day, region, service, 'aws4_request'].reduce<Buffer | string>(
    (chain, part) => hmac(chain, part),
    `AWS4${expected.secret_key}`,
  );
  const made = hmac(secret, toSign);
  return timingSafeEqual(made, Buffer.from(signature, 'hex')) ? null : 'another signature';
}

function canonical({ method, target, headers, body }: SignedRequest, signed: readonly string[]): string {
  const [path = '', query = ''] = target.split('?');
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`);
  const hash = sha256(body);
  const said = headers['x-amz-content-sha256'];
  return [
    method,
    // Encoded once more than it was sent, as every service but S3 has it.
    path.split('/').map(encoded).join('/'),
    query
      .split('&')
      .filter((pair) => pair !== '')
      .sort()
      .join('&'),
    lines.join(''),
    signed.join(';'),
    said === undefined ? hash : said === hash ? hash : 'another body',
  ].join('\n');
}

function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function timeOf(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
