import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '@despatch/testing/eventually'

/** A running process of this tree. */
export type Program = {
  pid: number
  /** Sends it a message and returns its next message. Throws if it ends instead. */
  ask<Answer>(message: unknown, signal: AbortSignal): Promise<Answer>
  /** Asks it to end, and kills it if it does not. */
  stop(): Promise<void>
}

export type ProgramOptions = {
  /** The path from the root of the tree. */
  script: string
  environment: Record<string, string>
  isReady: (() => Promise<boolean>) | undefined
  nodeFlags: readonly string[]
  /** The directory for the file with its output. */
  directory: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const readyDeadlineMs = 30_000
const stopDeadlineMs = 15_000
const outputLinesReportedMax = 15

/** Starts a program and waits until it is ready. Throws with the end of its output if it does not become ready. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { script, environment, isReady, nodeFlags, directory } = options
  const outputPath = join(directory, `${nameOf(script)}.log`)
  const output = await open(outputPath, 'a', 0o600)
  const child = spawn(process.execPath, [...nodeFlags, join(root, script)], {
    cwd: root,
    env: { ...compileCache(), ...environment },
    stdio: ['ignore', output.fd, output.fd, 'ipc'],
  })
  await output.close()
  const ended = once(child, 'exit')
  const message = once(child, 'message')
  // A rejection matters only to a caller that awaits it.
  ended.catch(() => {})
  message.catch(() => {})

  const whenReady = isReady
    ? eventually(isReady, { deadlineMs: readyDeadlineMs, message: `${script} is ready` })
    : message
  const first = await Promise.race([
    whenReady.then(
      () => 'ready',
      (error: Error) => error.message,
    ),
    ended.then(() => 'it ended'),
  ])
  const program = control(child, script, outputPath)
  if (first === 'ready') return program
  await program.stop()
  throw new Error(`${script} did not start: ${first}\n${await endOf(outputPath)}`)
}

/** Tests set it, so that the modules of a program are compiled once. */
function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}

function nameOf(script: string): string {
  return script.startsWith('services/')
    ? basename(dirname(dirname(script)))
    : basename(script, '.ts')
}

function control(child: ChildProcess, script: string, outputPath: string): Program {
  const ended = () => child.exitCode !== null || child.signalCode !== null
  return {
    pid: child.pid!,
    async ask<Answer>(message: unknown, signal: AbortSignal): Promise<Answer> {
      const exit = new AbortController()
      const stopWaiting = () => exit.abort()
      child.once('exit', stopWaiting)
      try {
        if (ended()) stopWaiting()
        const answer = once(child, 'message', { signal: AbortSignal.any([signal, exit.signal]) })
        if (!ended()) child.send(message as object)
        return (await answer)[0] as Answer
      } catch (cause) {
        if (!exit.signal.aborted) throw cause
        throw new Error(`${script} ended while it was at work\n${await endOf(outputPath)}`)
      } finally {
        child.off('exit', stopWaiting)
      }
    },
    async stop() {
      if (ended()) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
      await exit
      clearTimeout(late)
    },
  }
}

async function endOf(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  return lines.slice(-outputLinesReportedMax).join('\n')
}

/** Returns whether a server listens on this port of 127.0.0.1. */
export async function answersTcp(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
