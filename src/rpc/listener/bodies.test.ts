import { afterEach, describe, expect, it } from 'vitest';
import { call, post, rawClient, rawPost, request, start, stopAll } from './testing.suite.ts';

afterEach(stopAll);

const MIB = 1024 * 1024;
const head = (headers: string) =>
  `POST /rpc HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`;

describe('a body that is too large', () => {
  it('is refused before it is sent, where its length is told', async () => {
    const { port } = await start();
    const client = await rawClient(port);
    client.write(head(`content-length: ${100 * MIB}`));
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1.1 413 .*"error_code":"GLZ1007"/s);
  });

  it('is refused with its first byte too many, where its length is not told', async () => {
    const { port } = await start({ limits: { body_bytes: 1000 } });
    const client = await rawClient(port);
    client.write(`${head('transfer-encoding: chunked')}7d0\r\n${' '.repeat(2000)}\r\n`);
    expect(await client.until(/\}$/)).toMatch(/^HTTP\/1.1 413 /);
  });

  it('is read to its end by nobody, but far enough for the answer to arrive', async () => {
    const { url } = await start({ limits: { body_bytes: MIB } });
    const body = new Uint8Array(3 * MIB).fill(0x20);
    expect((await post(url, body)).status).toBe(413);
    expect((await post(url, call('echo'))).status).toBe(200);
  });

  it('is answered before the connection ends, also where that is to be its last', async () => {
    const { url, port } = await start({ limits: { body_bytes: 1000 } });
    const client = await rawClient(port);
    client.write(head('connection: close\r\ncontent-length: 2000') + ' '.repeat(1000));
    await client.until(/\}$/);
    await post(url, call('echo'));
    expect(client.socket.readableEnded).toBe(false);
    client.write(' '.repeat(1000));
    expect(await client.ended).toMatch(/^HTTP\/1.1 413 /);
  });

  it('does not keep the listener from stopping once it is here', async () => {
    const { listener, port } = await start({ limits: { body_bytes: 1000 } });
    const client = await rawClient(port);
    client.write(head('content-length: 2000') + ' '.repeat(1000));
    await client.until(/\}$/);
    const stopped = listener.stop(60_000);
    client.write(' '.repeat(1000));
    await stopped;
    expect(client.socket.errored).toBeNull();
  });

  it('ends the connection when it goes on and on', async () => {
    const { port } = await start({ limits: { body_bytes: 1000 } });
    const client = await rawClient(port);
    client.write(head('transfer-encoding: chunked'));
    client.socket.on('drain', () => client.write(`2000\r\n${' '.repeat(8192)}\r\n`));
    for (let n = 0; n < 100; n++) client.write(`2000\r\n${' '.repeat(8192)}\r\n`);
    await client.ended;
  });

  it('is refused to whoever asks before sending it', async () => {
    const { port } = await start();
    const client = await rawClient(port);
    client.write(head(`expect: 100-continue\r\ncontent-length: ${100 * MIB}`));
    expect(await client.ended).toMatch(/^HTTP\/1.1 413 /);
    const polite = await rawClient(port);
    const body = call('echo', ['hello']);
    polite.write(head(`expect: 100-continue\r\ncontent-length: ${body.length}`));
    await polite.until(/^HTTP\/1.1 100 Continue/);
    polite.write(body);
    expect(await polite.until(/hello/)).toMatch(/HTTP\/1.1 200 OK/);
  });
});

describe('uploads that do not end', () => {
  it('two hundred of them keep nobody from being served', async () => {
    const { listener, url, port } = await start();
    const uploads = await Promise.all(Array.from({ length: 200 }, () => rawClient(port)));
    const piece = ' '.repeat(100_000);
    for (const upload of uploads) upload.write(`${head('content-length: 1000000')}${piece}`);
    for (let n = 0; n < 20; n++) expect((await post(url, call('echo', [n]))).status).toBe(200);
    await expect.poll(async () => (await listener.stats()).held_bytes).toBeGreaterThanOrEqual(200 * 100_000);
    expect((await listener.stats()).requests).toBe(0);
    for (const upload of uploads) upload.socket.destroy();
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(0);
  });

  it('are given up in time, and told so', async () => {
    const { listener, port } = await start({ limits: { headers_ms: 50, request_ms: 100 } });
    const silent = await rawClient(port);
    silent.write('POST /rpc HT');
    const slow = await rawClient(port);
    slow.write(`${head('content-length: 1000')}{`);
    expect(await silent.ended).toMatch(/^HTTP\/1.1 408 /);
    expect(await slow.ended).toMatch(/^HTTP\/1.1 408 /);
    expect((await listener.stats()).held_bytes).toBe(0);
  });

  it('together hold no more than allowed, and small ones are served all the same', async () => {
    const { listener, url, port } = await start({ limits: { held_bytes: MIB } });
    const first = await rawClient(port);
    first.write(`${head(`content-length: ${2 * MIB}`)}${' '.repeat(900_000)}`);
    await expect.poll(async () => (await listener.stats()).held_bytes).toBeGreaterThanOrEqual(900_000);
    const large = call('echo', ['x'.repeat(400_000)]);
    const refused = await post(url, large);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(refused.json()).toMatchObject({ error: { code: 4003 } });
    expect((await post(url, call('echo'))).status).toBe(200);
    first.socket.destroy();
    await expect.poll(async () => (await listener.stats()).held_bytes).toBe(0);
    expect((await post(url, large)).status).toBe(200);
  });
});

describe('requests under way', () => {
  function holding() {
    const held: (() => void)[] = [];
    const hold = () => new Promise<void>((resolve) => held.push(resolve));
    const begun = (count: number) => expect.poll(() => held.length).toBe(count);
    const release = () => {
      for (const one of held.splice(0)) one();
    };
    return { methods: { hold }, begun, release };
  }

  it('are bounded in all', async () => {
    const { methods, begun, release } = holding();
    const { url } = await start({ methods, limits: { requests: 2 } });
    const both = [post(url, call('hold')), post(url, call('hold'))];
    await begun(2);
    const refused = await post(url, call('echo'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    release();
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await post(url, call('echo'))).status).toBe(200);
  });

  it('are bounded on one connection, and answered in the order in which they came', async () => {
    const { methods, begun, release } = holding();
    const { url, port } = await start({ methods, limits: { requests_per_connection: 2 } });
    const client = await rawClient(port);
    for (let id = 1; id <= 4; id++) client.write(rawPost(call('hold', [], id)));
    await begun(2);
    expect((await post(url, call('echo'))).status).toBe(200);
    release();
    const text = await client.until(/(HTTP\/1.1.*){4}\}$/s);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual([200, 200, 429, 429].map((status) => `HTTP/1.1 ${status}`));
  });

  it('may be sent all at once', async () => {
    const { port } = await start();
    const client = await rawClient(port);
    const ids = Array.from({ length: 500 }, (_, id) => id);
    // One after another on the way out as well: the bound of a connection is on those under way.
    for (const id of ids) {
      client.write(rawPost(call('echo', [], id)));
      if (id % 100 === 99) await client.until(new RegExp(`"id":${id}\\}$`));
    }
    const text = await client.until(/"id":499\}$/);
    expect([...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))).toEqual(ids);
  });

  it('are told when whoever asked is gone', async () => {
    const aborted = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const wait = ({ signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => aborted.resolve());
      begun.resolve();
      return aborted.promise;
    };
    const { listener, port } = await start({ methods: { wait } });
    const client = await rawClient(port);
    client.write(rawPost(call('wait')));
    await begun.promise;
    client.socket.destroy();
    await aborted.promise;
    await expect.poll(async () => (await listener.stats()).requests).toBe(0);
  });

  it('are dropped where whoever asked went while it was found out who it was', async () => {
    const asked = Promise.withResolvers<void>();
    const known = Promise.withResolvers<null>();
    const authenticate = () => {
      asked.resolve();
      return known.promise.then(() => ({ name: 'late', role: 'viewer' }) as const);
    };
    let served = 0;
    const { listener, port } = await start({ authenticate, methods: { update: () => served++ } });
    const client = await rawClient(port);
    client.write(rawPost(call('update')));
    await asked.promise;
    client.socket.destroy();
    await expect.poll(async () => (await listener.stats()).connections).toBe(0);
    known.resolve(null);
    await listener.stop(1000);
    expect([served, (await listener.stats()).held_bytes]).toEqual([0, 0]);
  });

  it('of plain questions are bounded as well', async () => {
    const begun = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const answer = async () => {
      begun.resolve();
      await done.promise;
      return { status: 200, type: 'text/plain', body: '' };
    };
    const slow = { kind: 'get', path: '/slow', access: 'open', answer } as const;
    const { url } = await start({ routes: [slow], limits: { requests: 1 } });
    const first = request(`${url}/slow`);
    await begun.promise;
    expect((await request(`${url}/slow`)).status).toBe(429);
    done.resolve();
    expect((await first).status).toBe(200);
  });
});

describe('an answer nobody takes', () => {
  it('is given up, with its connection', async () => {
    const begun = Promise.withResolvers<void>();
    const fill = () => {
      begun.resolve();
      return 'x'.repeat(30 * MIB);
    };
    const { listener, port } = await start({ limits: { pulse_ms: 50 }, methods: { fill } });
    const client = await rawClient(port);
    client.socket.pause();
    client.write(rawPost(call('fill')));
    await begun.promise;
    await expect.poll(async () => (await listener.stats()).requests).toBe(0);
    client.socket.resume();
    expect((await client.ended).length).toBeLessThan(30 * MIB);
  });
});
