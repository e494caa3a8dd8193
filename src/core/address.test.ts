import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, isPublic, parseAddress, parseNetwork } from './address.ts';

describe('reading addresses', () => {
  it.each([
    ['0.0.0.0', 4, 0n],
    ['1.2.3.4', 4, 0x01020304n],
    ['255.255.255.255', 4, 0xffffffffn],
    ['::', 6, 0n],
    ['::1', 6, 1n],
    ['1::', 6, 1n << 112n],
    ['2001:DB8::a', 6, (0x20010db8n << 96n) | 10n],
    ['1:2:3:4:5:6:7:8', 6, 0x00010002000300040005000600070008n],
    ['1:2:3:4:5:6:1.2.3.4', 6, 0x00010002000300040005000601020304n],
    ['::1.2.3.4', 6, 0x01020304n],
    ['::ffff:1.2.3.4', 4, 0x01020304n],
    ['::ffff:102:304', 4, 0x01020304n],
    ['64:ff9b::102:304', 4, 0x01020304n],
    ['64:ff9b:1::102:304', 6, (0x64ff9b0001n << 80n) | 0x01020304n],
  ])('%s', (text, version, value) => {
    expect(parseAddress(text)).toEqual({ version, value });
  });

  it.each([
    '',
    '1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4.',
    ' 1.2.3.4',
    'localhost',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '12345::',
    'g::',
    'fe80::1%eth0',
    '1.2.3.4::',
    '::1.2.3.256',
    '::1.2.3.4:5',
    '1::2:',
  ])('not %j', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it('takes a mapped address that is cut off for none', () => {
    expect(parseAddress('1.2.3.4:1::')).toBeNull();
  });

  it('finds again what it is shown in full', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        expect(parseAddress(text)).not.toBeNull();
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const found = parseAddress(text);
        const numbers = [24n, 16n, 8n, 0n].map((shift) => ((found?.value ?? 0n) >> shift) & 255n);
        expect(numbers.join('.')).toBe(text);
      }),
    );
  });
});

describe('networks', () => {
  const inside = (address: string, network: string) => {
    const [one, all] = [parseAddress(address), parseNetwork(network)];
    if (one === null || all === null) throw new Error('cannot be read');
    return isInside(one, all);
  };

  it('hold what begins as they do', () => {
    expect(inside('10.255.0.1', '10.0.0.0/8')).toBe(true);
    expect(inside('11.0.0.1', '10.0.0.0/8')).toBe(false);
    expect(inside('10.0.0.1', '10.0.0.1')).toBe(true);
    expect(inside('10.0.0.2', '10.0.0.1')).toBe(false);
    expect(inside('200.1.1.1', '0.0.0.0/0')).toBe(true);
    expect(inside('::1', '0.0.0.0/0')).toBe(false);
    expect(inside('fd12::1', 'fd00::/8')).toBe(true);
    expect(inside('::ffff:10.1.1.1', '10.0.0.0/8')).toBe(true);
    expect(inside('10.1.1.1', '::ffff:10.0.0.0/104')).toBe(true);
    expect(inside('fd12::1', 'fd12::1')).toBe(true);
  });

  it.each(['', '10.0.0.0/33', '::/129', 'example.org', '10.0.0.0/', '10.0.0.0/8/8', '10/8'])(
    'are not %j',
    (text) => {
      expect(parseNetwork(text)).toBeNull();
    },
  );
});

describe('who can be reached by anybody', () => {
  const judged = (text: string) => {
    const address = parseAddress(text);
    if (address === null) throw new Error(text);
    return isPublic(address);
  };

  it.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '2606:4700::1111', '2001:4860::8888', '::ffff:8.8.8.8'])(
    '%s',
    (text) => {
      expect(judged(text)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '127.0.0.1',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    'fe80::1',
    'fd00:ec2::254',
    'ff02::1',
    '2001::1',
    '2002:7f00:1::',
    '2001:db8::1',
    '3fff::1',
  ])('not %s', (text) => {
    expect(judged(text)).toBe(false);
  });
});
