import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { Look } from '../src/lay-out.ts'
import { readInput } from '../src/read-input.ts'
import { runCommand } from '../src/run-command.ts'

export const bin = resolve(import.meta.dirname, '../bin/despatch.mjs')

export type Ended = { code: number | null; stdout: string; stderr: string }

/** A running command. `said` contains its output so far. */
export type Started = {
  said: { stdout: string; stderr: string }
  /** Simulates Ctrl-C. */
  interrupt(): void
  /** Ends a process at once, as SIGKILL does. Has no effect on a command in this process. */
  kill(): void
  ended: Promise<Ended>
}

/** What the command reads, and how the terminal shows what it prints. */
export type Attached = { input?: string | undefined; look?: Look; isTerminal?: boolean }

/** Returns the words of a line, or of its parts. Double quotes enclose a word with blanks. */
export function wordsOf(...parts: readonly string[]): string[] {
  const words = parts.join(' ').match(/"[^"]*"|\S+/g) ?? []
  return words.map((word) => word.replaceAll('"', ''))
}

const root = resolve(import.meta.dirname, '../../..')

/** Runs the command in this process without a terminal: like the real process, but without its start time. */
export function startHere(
  commandLine: readonly string[],
  environment: Record<string, string>,
  { input = '', look, isTerminal = false }: Attached = {},
): Started {
  const said = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  const exit = runCommand(commandLine, {
    environment,
    root,
    canAsk: false,
    readInput: () => readInput(Readable.from([Buffer.from(input)]), 1_024),
    print: (text) => {
      said.stdout += `${text}\n`
    },
    output: Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          said.stdout += chunk
          done()
        },
      }),
      { isTTY: isTerminal },
    ),
    look,
    note: (text) => {
      said.stderr += `${text}\n`
    },
    canDraw: false,
    onInterrupt: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
  return {
    said,
    interrupt: () => {
      for (const listener of listeners) listener()
    },
    kill: () => {},
    ended: exit.then((code) => ({ code, ...said })),
  }
}

/** Runs the command as a separate process, for behaviour that only a process has. */
export function startProcess(
  commandLine: readonly string[],
  environment: Record<string, string>,
  input = '',
): Started {
  const child = spawn(process.execPath, [bin, ...commandLine], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A command that has ended does not read it.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk
  })
  return {
    said,
    interrupt: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code]) => ({ code, ...said })),
  }
}
