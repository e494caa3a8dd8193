import { pythonWith } from './python.ts';

/** A Python that has FastMCP. */
export function pythonWithFastmcp(): Promise<string> {
  return pythonWith('fastmcp-4', ['fastmcp>=4.0.10,<5']);
}
