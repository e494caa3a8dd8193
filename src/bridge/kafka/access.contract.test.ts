import { afterAll, beforeAll } from 'vitest';
import { startKafka } from '../../../test/services/kafka.ts';
import type { Restartable } from '../../../test/services/restartable.ts';
import { makeAuthority } from '../../rpc/http/certificates.suite.ts';
import { type Access, accessSuite } from '../suite/access.suite.ts';
import { silent } from '../suite/real.suite.ts';
import { openKafka } from './broker.ts';

const authority = makeAuthority();
const [username, password] = ['alice', 'open-sesame'];
let server: Restartable;
beforeAll(async () => {
  server = await startKafka({ ...authority.issue('localhost'), username, password });
}, 300_000);
afterAll(() => server.stop());

const open = (access: Access) =>
  openKafka({
    brokers: [server.url],
    tls: access.ca === undefined ? {} : { ca: access.ca },
    ...(access.password === undefined
      ? {}
      : { sasl: { mechanism: 'PLAIN' as const, username, password: access.password } }),
    logger: silent,
  });
accessSuite('Kafka', () => ({ ca: authority.cert, password, open }));
