/** Runs a command on a pseudo-terminal of a given size: what is typed is its input, what it draws is standard output. */
export function onTerminal(size: { readonly columns: number; readonly rows: number }) {
  const script = `
import fcntl, os, pty, select, signal, struct, sys, termios
columns, rows = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
os.kill(pid, signal.SIGWINCH)
open_input = True
while True:
    ready, _, _ = select.select([terminal] + ([0] if open_input else []), [], [])
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        os.write(1, data)
    if 0 in ready:
        data = os.read(0, 65536)
        if data:
            os.write(terminal, data)
        else:
            open_input = False
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
`;
  return (command: readonly string[]) => [
    'python3',
    '-c',
    script,
    String(size.columns),
    String(size.rows),
    ...command,
  ];
}
