import { type ProtocolDefinition, parseProtocol } from '../../core/protocol.ts';
import { agent } from './agent.ts';
import { audio } from './audio.ts';
import { llm } from './llm.ts';
import { mcp } from './mcp.ts';
import { python } from './python.ts';
import { search } from './search.ts';
import { vision } from './vision.ts';
import { webSearch } from './web-search.ts';

let known: ReadonlyMap<string, ProtocolDefinition> | null = null;

/** The definitions of protocols that need only be named, by their names. */
export function libraryProtocols(): ReadonlyMap<string, ProtocolDefinition> {
  known ??= new Map(
    [webSearch, search, llm, vision, audio, mcp, python, agent].map((written) => [
      written.name,
      parseProtocol(written),
    ]),
  );
  return known;
}
