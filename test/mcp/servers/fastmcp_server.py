"""An MCP server as FastMCP makes them: over standard input and output, or over HTTP where a port is given."""

import asyncio
import sys

from fastmcp import Context, FastMCP

server = FastMCP("notes")
notes: dict[str, str] = {}


@server.tool
def add(a: int, b: int) -> int:
    return a + b


@server.tool
def describe(city: str) -> dict:
    return {"city": city, "length": len(city)}


@server.tool
async def slow(steps: int, ctx: Context) -> str:
    for step in range(steps):
        await ctx.report_progress(step + 1, steps, f"step {step + 1}")
        await asyncio.sleep(0.2)
    return "slowly done"


@server.tool
def broken() -> str:
    raise ValueError("this tool never works")


@server.resource("notes://{name}")
def note(name: str) -> str:
    return f"the note {name}"


@server.prompt
def greet(name: str) -> str:
    return f"Say hello to {name}."


if len(sys.argv) > 1:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
