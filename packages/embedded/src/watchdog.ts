import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Stops a child process when this process dies, however it dies. A shell waits for the end of a pipe from this process
 * and then sends the child SIGINT. The shell ends with the child.
 */
export function stopWhenWeDie(child: ChildProcess): void {
  const watchdog = spawn('sh', ['-c', 'read -r _; kill -INT "$0"', String(child.pid)], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell the child merely outlives this process.
  watchdog.once('error', () => {})
  watchdog.unref()
  const pipe = watchdog.stdin as Socket
  pipe.once('error', () => {})
  pipe.unref()
  child.once('exit', () => watchdog.kill('SIGKILL'))
}
