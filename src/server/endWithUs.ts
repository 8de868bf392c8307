import type { Disposable } from '../base/disposable.ts';
import type { ChildProcesses } from './childProcesses.ts';

/**
 * A line says that the process has ended; an end without one, that we have. What runs in the process's group is told to end
 * with us: then the work is not done yet.
 */
const script = `trap '' HUP INT TERM
exec >/dev/null 2>&1
read -r _ && exit
children() {
  cat /proc/"$1"/task/*/children || ps -A -o pid=,ppid= | while read -r pid parent; do
    [ "$parent" = "$1" ] && echo "$pid"
  done
}
tree() { for each in $(children "$1"); do echo "$each"; tree "$each"; done; }
all=$(tree "$1")
kill -TERM "$1"
sleep 2
kill -KILL "$1" $all`;

/**
 * Has a process that we have started, and what that has started, end although we are killed: a tool in it would run on, and
 * so would what the model does next, with nobody there to be asked. On Windows the system ends it by itself.
 * @returns to be disposed of when it has ended
 */
export function endWithUs(pid: number, processes: Pick<ChildProcesses, 'start'>): Disposable {
  if (process.platform === 'win32') {
    return { dispose: () => {} };
  }
  const { PATH } = process.env;
  const started = processes.start('/bin/sh', ['-c', script, 'sh', String(pid)], '/', { PATH });
  // A system without a shell: there it ends with what it is at.
  const dispose = () => void started.then(({ stdin }) => stdin.end('\n')).catch(() => {});
  return { dispose };
}
