import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { environmentOfTools } from './start-despatch.ts'

const root = resolve(import.meta.dirname, '../..')
/** How much of the end of its output is kept: enough for its address, or for why it did not start. */
const outputCharactersMax = 20_000

/** One service as a separate process. */
export type ServiceProcess = AsyncDisposable & {
  process: ChildProcess
  url: string
  /** Sends the signal and waits until the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts `services/<name>/src/main.ts` on a free port and waits until it listens. Default tree: this one. */
export async function startService(
  name: string,
  environment: Record<string, string>,
  { tree = root }: { tree?: string } = {},
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [`services/${name}/src/main.ts`], {
    cwd: tree,
    env: { ...environmentOfTools(), PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-outputCharactersMax)
    })
  }
  const exited = once(child, 'exit')
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
  }
  try {
    const listens = eventually(() => /started at (http[^"\s]+)/.exec(output)?.[1], {
      deadlineMs: 60_000,
      message: `${name} listens`,
    })
    const ended = exited.then(() => {
      throw new Error(`${name} exited: ${output}`)
    })
    const url = await Promise.race([listens, ended])
    return { process: child, url, kill, [Symbol.asyncDispose]: () => kill('SIGKILL') }
  } catch (error) {
    await kill('SIGKILL')
    throw error
  }
}
