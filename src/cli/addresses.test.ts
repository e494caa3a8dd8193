import { describe, expect, it } from 'vitest';
import { play } from './play.suite.ts';

const asked = (server: string, ...more: string[]) => play(['list', '--server', server, ...more]);

describe('the address of a server', () => {
  it.each([
    ['http://127.0.0.1:99999'],
    ['127.0.0.1:99999'],
    ['http://127.0.0.1:port'],
    ['ftp://127.0.0.1'],
    ['http://'],
    [''],
  ])('%j is none: 2, and how it is written', async (named) => {
    const { status, err } = await asked(named);
    expect(status).toBe(2);
    expect(err).toContain(`"${named}" is no address of a server`);
    expect(err).toContain('http://127.0.0.1:8000');
  });

  it('with a port that clients of HTTP do not ask says so: 3', async () => {
    const { status, err } = await asked('http://127.0.0.1:6000');
    expect(status).toBe(3);
    expect(err).toContain('no server can be reached at http://127.0.0.1:6000 ');
    expect(err).toContain('its port belongs to another service');
  });

  it('may leave http:// out, whatever the host is called', async () => {
    for (const named of ['localhost:6000', '127.0.0.1:6000', '[::1]:6000', 'localhost:6000/gleitzeit'])
      expect((await asked(named)).err).toContain(`no server can be reached at http://${named} `);
  });

  it('carries no password, and none is shown', async () => {
    for (const named of ['http://ann:tulip@127.0.0.1:6000', 'ann:tulip@127.0.0.1:6000']) {
      const { status, out, err } = await asked(named, '--debug');
      expect(status).toBe(2);
      expect(err).toContain('GLEITZEIT_KEY');
      expect(out + err).not.toContain('tulip');
    }
    const wrong = await asked('http://ann:tulip@127.0.0.1:99999');
    expect([wrong.status, wrong.err]).toEqual([2, expect.not.stringContaining('tulip')]);
    const env = { GLEITZEIT_SERVER_URL: 'http://ann:tulip@127.0.0.1:6000' };
    const shown = await play(['config', 'show', 'client'], { env });
    expect(shown.out).toContain('ann:*****@127.0.0.1:6000');
  });
});

describe('the key for a server', () => {
  it.each(['two words', 'a\nb', 'schlüssel'])('that no header can carry is said so: 2', async (key) => {
    const { status, err } = await play(['list', '--server', 'http://127.0.0.1:6000', '--debug'], {
      env: { GLEITZEIT_KEY: key },
    });
    expect(status).toBe(2);
    expect(err).toContain('GLEITZEIT_KEY');
    expect(err).toContain('token create');
    expect(err).not.toContain(key);
  });
});
