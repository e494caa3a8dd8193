import { describe, expect, it } from 'vitest';
import { checkProvider } from '../registry.ts';

function refusal(type: string, config: object) {
  try {
    checkProvider({ id: 'one', protocol: 'web/v1', type, config }, { methods: ['search'] });
  } catch (thrown) {
    return thrown;
  }
  return null;
}

const url = 'https://h/mcp';
const oauth = { client_id: 'us', client_secret: '${secrets.key}' };

describe('the configuration of an MCP server', () => {
  it.each([
    ['mcp-server', { command: ['node', 'server.js'] }],
    ['mcp-server', { url: 'stdio://path/to/mcp-server' }],
    ['mcp-http', { url: 'http://localhost:3000/mcp' }],
    ['mcp-http', { url, oauth, elicitation: { confirm: true }, tools: { search: 'web_search' } }],
    ['mcp-http', { url, version: '2026-07-28', elicitation: 'defaults', transport: 'sse' }],
  ])('%s takes %j', (type, config) => {
    expect(refusal(type, config)).toBeNull();
  });

  it.each([
    ['mcp-server', {}, '/config/command'],
    ['mcp-server', { command: ['a'], url: 'stdio://a' }, '/config/command'],
    ['mcp-server', { command: [] }, '/config/command'],
    ['mcp-server', { url: 'http://h/mcp' }, '/config/url'],
    ['mcp-server', { command: ['a'], env: { A: '${env.B}' } }, '/config/env/A'],
    ['mcp-http', { url: 'stdio://a' }, '/config/url'],
    ['mcp-http', { url, transport: 'stdio' }, '/config/transport'],
    ['mcp-http', { url, version: '2024-01-01' }, '/config/version'],
    ['mcp-http', { url, tools: { serch: 'web_search' } }, '/config/tools/serch'],
    ['mcp-http', { url, elicitation: 'accept' }, '/config/elicitation'],
    ['mcp-http', { url, idle_timeout: 'soon' }, '/config/idle_timeout'],
    ['mcp-http', { url, oauth: { client_secret: 'plain' } }, '/config/oauth/client_secret'],
    ['mcp-http', { url, oauth, auth: { type: 'bearer', token: '${secrets.key}' } }, '/config/auth'],
    ['mcp-http', { url, oauth, headers: { Authorization: 'x' } }, '/config/headers/Authorization'],
  ])('%s refuses %j', (type, config, field) => {
    expect(refusal(type, config)).toMatchObject({ code: 'GLZ1012', details: { field } });
  });
});
