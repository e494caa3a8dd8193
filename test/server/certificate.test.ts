import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAuthority } from '../../src/rpc/http/certificates.suite.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const authority = makeAuthority();

let scene: Scene;

beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

function write({ cert, key }: { cert: string; key: string }) {
  return { cert: scene.write('server.crt', cert), key: scene.write('server.key', key) };
}

async function shownBy({ url }: Server): Promise<string | undefined> {
  const socket = connect({ port: Number(new URL(url).port), ca: authority.cert, servername: 'localhost' });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerX509Certificate() ?? {};
  socket.destroy();
  return serialNumber;
}

async function logged(server: Server, message: string) {
  const after = server.log.length;
  server.signal('SIGHUP');
  return server.logged({ message }, after);
}

describe('the certificate of the server', () => {
  it('is taken anew on SIGHUP, and one that is broken is not', async () => {
    const tls = write(authority.issue('localhost'));
    const server = await scene.serve({ server: { port: 0, tls } });
    const first = await shownBy(server);
    write(authority.issue('localhost'));
    expect(await shownBy(server)).toBe(first);
    expect(await logged(server, 'the certificate of the server was renewed')).toMatchObject({
      level: 'info',
      cert: tls.cert,
    });
    const second = await shownBy(server);
    expect(second).not.toBe(first);

    scene.write('server.crt', 'nothing of the kind');
    const message = 'the changed certificate is not taken; the one before stays in force';
    const { level, reason } = await logged(server, message);
    expect([level, reason]).toEqual(['error', expect.stringContaining(`server.tls.cert: ${tls.cert}`)]);
    expect(await shownBy(server)).toBe(second);
  });

  it.each(['cert', 'key', 'client_ca', 'other'] as const)(
    'stops the start where it is broken: %s',
    async (broken) => {
      const files: Record<string, string> = write(authority.issue('localhost'));
      files['client_ca'] = scene.write('ca.crt', authority.cert);
      const wrong = broken === 'other' ? authority.issue('localhost').key : 'nothing of the kind';
      const at = broken === 'other' ? 'key' : broken;
      files[at] = scene.write('wrong.pem', wrong);
      const config = scene.write('gleitzeit.yaml', { server: { port: 0, tls: files } });
      const program = scene.start(['serve', '--config', config]);
      expect((await program.ended).code).not.toBe(0);
      expect(program.output()).toContain(`server.tls.${at}: ${files[at]}`);
      expect(program.output()).not.toContain('GLZ9001');
    },
  );
});
