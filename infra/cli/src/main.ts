import { resolve } from 'node:path'
import { readInput } from './read-input.ts'
import { runCommand } from './run-command.ts'

const root = resolve(import.meta.dirname, '../../..')
const sameInterruptMs = 1_000
const inputCharactersMax = 1_024

// The reader of standard output may close it. That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await runCommand(process.argv.slice(2), {
  environment: process.env,
  root,
  canAsk: Boolean(process.stdin.isTTY && process.stderr.isTTY),
  readInput: () => readInput(process.stdin, inputCharactersMax),
  print: (text) => void process.stdout.write(`${text}\n`),
  output: process.stdout,
  // hasColors reads NO_COLOR and TERM
  look: process.stdout.isTTY && process.stdout.hasColors() ? { now: () => new Date() } : undefined,
  note: (text) => void process.stderr.write(`${text}\n`),
  canDraw: Boolean(process.stderr.isTTY),
  onInterrupt,
})

/** The terminal and npm may both forward one Ctrl-C, so only a later one ends the process at once. */
function onInterrupt(listener: () => void): () => void {
  let interruptedAt: number | undefined
  const onSignal = () => {
    if (interruptedAt === undefined) {
      interruptedAt = performance.now()
      listener()
    } else if (performance.now() - interruptedAt > sameInterruptMs) {
      process.exit(130)
    }
  }
  process.on('SIGINT', onSignal)
  return () => void process.off('SIGINT', onSignal)
}
