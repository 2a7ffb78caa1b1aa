import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { environmentOfTools } from './start-despatch.ts'

const root = resolve(import.meta.dirname, '../..')
/** How much of the end of its output is kept: enough for its address, or for why it did not start. */
const outputCharactersMax = 20_000

/** A program of this tree as a separate process. */
export type StartedProgram = AsyncDisposable & {
  process: ChildProcess
  /** How it ended: its exit code, or the signal that killed it. */
  ended: Promise<number | string>
  /** Sends the signal and waits until the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** The end of its output. */
  output(): string
}

/** Starts a program with Node. Default folder: the root of this tree. */
export function startProgram(
  commandLine: readonly string[],
  { environment = {}, cwd = root }: { environment?: Record<string, string>; cwd?: string } = {},
): StartedProgram {
  const child = spawn(process.execPath, commandLine, {
    cwd,
    env: { ...environmentOfTools(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-outputCharactersMax)
    })
  }
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  return {
    process: child,
    ended,
    kill,
    output: () => output,
    [Symbol.asyncDispose]: () => kill('SIGKILL'),
  }
}
