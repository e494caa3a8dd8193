#!/usr/bin/env node
// The MCP server as a program: one message a line.
import { createInterface } from 'node:readline';
import { answerTo } from './mcp.js';

for await (const line of createInterface({ input: process.stdin })) {
  const answer = answerTo(JSON.parse(line), 'stdio');
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
