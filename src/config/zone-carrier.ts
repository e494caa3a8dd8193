import { Type } from '../type.ts';
import { item, path, text } from './words.ts';

const tls = Type.Optional(
  item('connect with TLS', {
    ca: Type.Optional(path('the authority to trust, PEM; those of the system without it')),
    cert: Type.Optional(path('our certificate, PEM')),
    key: Type.Optional(path('its key, PEM')),
    servername: Type.Optional(text('the name the certificate of the zone is for')),
  }),
);

const key = Type.Optional(text('a key of the server there, with the role operator: `${secrets.name}`'));

/** What carries requests to the execution zone. */
export const carrierSchema = Type.Union(
  [
    item('one POST a request', {
      type: Type.Literal('https', { default: 'https', description: 'how requests reach the execution zone' }),
      url: text('where the execution zone takes them', {
        pattern: '^https?://',
        'x-expected': 'an address that begins with https://',
      }),
      tls,
      key,
    }),
    item('a connection that stays', {
      type: Type.Literal('websocket', { default: 'websocket' }),
      url: text('where the execution zone takes them', {
        pattern: '^wss?://',
        'x-expected': 'an address that begins with wss://',
      }),
      tls,
      key,
    }),
    item('an agent runtime of AWS Bedrock AgentCore', {
      type: Type.Literal('agentcore', { default: 'agentcore' }),
      runtime_arn: text('the runtime', { pattern: '^arn:', 'x-expected': 'an ARN' }),
      qualifier: Type.Optional(text('the version or endpoint of it; its default without it')),
      region: text('where it runs', {
        pattern: '^[a-z0-9-]+$',
        'x-expected': 'a region such as eu-central-1',
      }),
      endpoint: Type.Optional(
        text('another address of the service', { pattern: '^https?://', 'x-expected': 'an address' }),
      ),
      access_key_id: Type.Optional(text('who asks: `${secrets.name}`; found as AWS programs do without it')),
      secret_access_key: Type.Optional(text('what proves it: `${secrets.name}`')),
      session_token: Type.Optional(text('where the two are lent: `${secrets.name}`')),
    }),
    item('a program that is started here', {
      type: Type.Literal('stdio', { default: 'stdio' }),
      command: text('the program'),
      args: Type.Array(Type.String(), { description: 'what it is told', default: [] }),
      env: Type.Record(Type.String(), Type.String(), {
        description:
          'its environment besides `PATH`, `HOME`, `LANG` and `TMPDIR`; values may be `${secrets.name}`',
        default: {},
      }),
    }),
  ],
  { description: 'What carries requests to the execution zone.' },
);
