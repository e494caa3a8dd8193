import type { RuleText } from './rule.ts';

export const cardRules = {
  speaks: {
    level: 'error',
    expected: 'A2A, with a card, or simple-a2a',
    clause: 'A2A §9, or {task_id, input} → {task_id, status, output, error}',
    hint: 'is this the address that takes POST requests? agents/ has one to copy in Python, Node.js and Go',
  },
  'card-found': {
    level: 'error',
    expected: 'a card at /.well-known/agent-card.json',
    clause: 'A2A §8.2',
    hint: 'serve the card there, below the address of the agent or at the root of its host',
  },
  'card-address': {
    level: 'warning',
    expected: 'a card at /.well-known/agent-card.json',
    clause: 'A2A 0.3 §5.3',
    hint: 'serve the same card at the new address too; /.well-known/agent.json is that of A2A 0.2',
  },
  'card-json': {
    level: 'error',
    expected: 'a JSON object',
    clause: 'A2A §8.2',
    hint: 'a proxy or the pages of the site may be in front of it',
  },
  'card-type': {
    level: 'warning',
    expected: 'Content-Type: application/json',
    clause: 'A2A §8.2',
    hint: 'set the header Content-Type of the card',
  },
  'card-members': {
    level: 'error',
    expected: 'all members that a card must have, of their types, and none that is null',
    clause: 'A2A §4.4.1 (0.3: §5.5)',
    hint: 'add what is missing; leave out what has no value',
  },
  'card-skills': {
    level: 'warning',
    expected: 'id, name, description and tags for each skill, and every id once',
    clause: 'A2A §4.4.5 (0.3: §5.5.4)',
    hint: 'complete the skill',
  },
  'card-interfaces': {
    level: 'error',
    expected: 'supportedInterfaces with an address (1.0), or url (0.3)',
    clause: 'A2A §4.4.6 (0.3: §5.5)',
    hint: 'name the address at which the agent takes POST requests',
  },
  'card-url': {
    level: 'error',
    expected: 'a whole address, http:// or https://, at which somebody listens',
    clause: 'A2A §4.4.6 (0.3: §5.5)',
    hint: 'name the address under which callers reach the agent, not the one it listens on inside',
  },
  'card-transport': {
    level: 'error',
    expected: 'an address for JSONRPC',
    clause: 'A2A §4.4.6 (0.3: §5.5.5)',
    hint: 'Gleitzeit calls agents over JSON-RPC: offer it, or put a gateway in front of the agent',
  },
  'card-version': {
    level: 'error',
    expected: 'the versions that the agent speaks: 0.3 or 1.0',
    clause: 'A2A §3.6',
    hint: 'correct protocolVersion in the card, or serve the methods of that version',
  },
  'card-streaming': {
    level: 'warning',
    expected: 'capabilities.streaming says what the agent does; without it, error -32004',
    clause: 'A2A §3.3.4',
    hint: 'correct the card, or serve the method',
  },
  'card-promises': {
    level: 'warning',
    expected: 'the methods of what capabilities says that the agent does',
    clause: 'A2A §3.3.4',
    hint: 'correct the card, or serve the methods',
  },
  'card-etag': {
    level: 'error',
    expected: 'HTTP 304 only where If-None-Match names the ETag of the card',
    clause: 'A2A §8.6, RFC 9110 §13.1.2',
    hint: 'compare the header with the ETag, or leave both out',
  },
  'card-extensions': {
    level: 'error',
    expected: 'no required extension that callers do not know',
    clause: 'A2A §4.6',
    hint: 'set required: false, or call the agent only with clients that know the extension',
  },
} as const satisfies Record<string, RuleText>;
