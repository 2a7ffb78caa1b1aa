import { resolve } from 'node:path'
import { exitCodeOf, explain } from './failure.ts'
import { createProgram } from './program.ts'

const root = resolve(import.meta.dirname, '../../..')

// whoever reads standard output may stop reading: that is no fault
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

const program = createProgram({
  environment: process.env,
  root,
  canAsk: Boolean(process.stdin.isTTY && process.stderr.isTTY),
  print: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
})

try {
  await program.parseAsync()
} catch (error) {
  const explanation = explain(error)
  if (explanation) process.stderr.write(`${explanation}\n`)
  process.exitCode = exitCodeOf(error)
}
