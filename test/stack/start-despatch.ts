import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { scratchFolder } from '@despatch/testing/scratch-folder'

export type Credential = { userName: string; password: string; apiKey: string }
export type Credentials = {
  baseUrl: string
  opsUrl: string
  consumer: Credential
  provider: Credential
  operator: Credential
}

/** The whole system as a user starts it: one process, used only over HTTP. */
export type Despatch = AsyncDisposable & {
  credentials: Credentials
  process: ChildProcess
  /** Its output so far. */
  output(): string
  /** Sends the signal and returns the exit code. Null: a signal ended it, such as SIGKILL after two minutes. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const root = resolve(import.meta.dirname, '../..')
/** A third of the cost of a start is compiling the same modules again. Processes that are killed keep nothing there. */
const compiled = join(root, 'node_modules/.cache/compiled')
const readyDeadlineMs = 90_000
/** Longer than the limit of the program itself. */
const stopDeadlineMs = 120_000

export async function makeDirectory(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(scratchFolder(), 'despatch-e2e-'))
  // Under root, PostgreSQL runs as another account, which must be able to enter this directory. Otherwise it keeps the
  // data elsewhere, where nothing deletes it.
  await chmod(path, 0o711)
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/**
 * Starts Despatch on free ports with its data in the directory, and waits until it reports that it is ready. The
 * simulated factory is off unless the environment sets it; an empty setting is the default.
 */
export async function startDespatch(
  directory: string,
  environment: Record<string, string> = {},
): Promise<Despatch> {
  const child = spawn(process.execPath, ['infra/standalone/src/main.ts'], {
    cwd: root,
    env: {
      ...environmentOfTools(),
      DESPATCH_DATA_DIR: directory,
      DESPATCH_PORT: '0',
      DESPATCH_OPS_PORT: '0',
      DESPATCH_SIMULATOR: 'off',
      // a check may take long beside other tests
      DESPATCH_CHECK_TIMEOUT_MS: '50000',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const exited = once(child, 'exit')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const kill = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
    await exited
    clearTimeout(kill)
    return child.exitCode
  }
  try {
    await eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`it exited with ${child.exitCode}: ${output}`)
        return output.includes('is ready')
      },
      { deadlineMs: readyDeadlineMs, message: 'Despatch is ready' },
    )
    const credentials = JSON.parse(await readFile(join(directory, 'credentials.json'), 'utf8'))
    return {
      credentials,
      process: child,
      output: () => output,
      stop,
      [Symbol.asyncDispose]: async () => {
        await stop()
      },
    }
  } catch (error) {
    await stop('SIGKILL')
    throw error
  }
}

/** The variables that any process needs, without any that changes how Despatch starts. */
export function environmentOfTools(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), NODE_COMPILE_CACHE: compiled }
}
