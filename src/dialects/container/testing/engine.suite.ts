import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A program that takes the words of docker and podman. It notes what it was told and runs the command on this machine, under
 * the name of the container, with the variables it was told to hand on and no others.
 */
const program = (python: string, folder: string) => `#!${python} -IS
import json, os, signal, sys

FOLDER = ${JSON.stringify(folder)}
FLAGS = {"--rm", "--interactive", "--read-only"}

def note(words):
    fd = os.open(FOLDER + "/told", os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    os.write(fd, (json.dumps({"words": words, "env": dict(os.environ)}) + "\\n").encode())

def run(words):
    options, at = {}, 0
    while at < len(words) and words[at].startswith("-"):
        flag = words[at] in FLAGS
        options.setdefault(words[at], []).append(True if flag else words[at + 1])
        at += 1 if flag else 2
    image, inside = words[at], words[at + 1:]
    if image == "missing:1":
        print("Error: no such image", file=sys.stderr)
        sys.exit(125)
    name = options["--name"][0]
    with open(FOLDER + "/" + name, "w") as pid:
        pid.write(str(os.getpid()))
    given = [one.partition("=") for one in options.get("--env", [])]
    env = {name: value if sign else os.environ[name] for name, sign, value in given}
    os.execve(inside[0], inside, env)

words = sys.argv[1:]
if words[0] == "run":
    note(words)
    run(words[1:])
note(words)
try:
    with open(FOLDER + "/" + words[-1]) as pid:
        os.kill(int(pid.read()), signal.SIGKILL)
except OSError:
    sys.exit(1)
`;

export type Told = { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> };

export function makeEngine(python: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-engine-'));
  const path = join(folder, 'engine');
  writeFileSync(path, program(python, folder), { mode: 0o755 });
  return {
    path,
    /** What it was told, one entry for each time it was started. */
    told: (): readonly Told[] =>
      readFileSync(join(folder, 'told'), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Told),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
