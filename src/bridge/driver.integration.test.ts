import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Opens a broker where its package cannot be found, as in an installation without it. */
const program = (missing: string, open: string) => `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('${missing}') ? next('${missing}-is-not-here', context) : next(specifier, context),
  });
  const { openKafka } = await import('${new URL('./kafka/broker.ts', import.meta.url).href}');
  const { openRedis } = await import('${new URL('./redis/broker.ts', import.meta.url).href}');
  const { openRabbit } = await import('${new URL('./rabbitmq/broker.ts', import.meta.url).href}');
  const error = await ${open}.catch((error) => error.toRecord());
  console.log(JSON.stringify(error));
`;

describe('a broker without its package', () => {
  it.each([
    ['@platformatic/kafka', "openKafka({ brokers: ['127.0.0.1:1'] })", 'Kafka'],
    ['@redis/client', "openRedis({ url: 'redis://127.0.0.1:1' })", 'Redis'],
    ['amqplib', "openRabbit({ url: 'amqp://127.0.0.1:1' })", 'RabbitMQ'],
  ])('says what is to be installed where there is no %s', async (missing, open, name) => {
    const args = ['--input-type=module', '--eval', program(missing, open)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toMatchObject({
      message: `${name} cannot be spoken to: the package ${missing} cannot be loaded`,
      data: { error_code: 'GLZ3202', hint: `install it beside gleitzeit: npm install ${missing}` },
    });
  });
});
