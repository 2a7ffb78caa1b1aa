import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a tool of this tree with the same Node. Returns whether it passed, its duration in seconds and, unless it is
 * shown live, its output.
 */
export async function runStep({ name, command: [tool, ...options], env = {}, show = false }) {
  const begun = performance.now()
  const plain = show && process.stdout.isTTY ? {} : { NO_COLOR: '1' }
  const child = spawn(join(root, 'node_modules/.bin', tool), options, {
    cwd: root,
    env: { ...process.env, ...plain, ...env },
    stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (text) => (output += text))
  child.stderr?.on('data', (text) => (output += text))
  let received
  const forward = (signal) => {
    received = signal
    child.kill(signal)
  }
  process.on('SIGTERM', forward).on('SIGINT', forward)
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      output += `${error.message}\n`
      resolve(1)
    })
    child.once('close', (status) => resolve(status ?? 1))
  })
  process.off('SIGTERM', forward).off('SIGINT', forward)
  // who stops a step stops this program, and not only the step
  if (received) process.kill(process.pid, received)
  return { name, passed: code === 0, output, seconds: (performance.now() - begun) / 1000 }
}

/** Returns one line of the summary: `ok      3.1 s  types`. */
export function summaryLine({ name, passed, seconds }) {
  return `${passed ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${name}`
}
