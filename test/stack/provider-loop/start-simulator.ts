import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { Credential } from '../start-despatch.ts'
import { environmentOfTools } from '../start-despatch.ts'

const root = resolve(import.meta.dirname, '../../..')
const outputCharactersMax = 20_000

/** A simulated factory as a separate process. */
export type SimulatorProcess = AsyncDisposable & {
  /** How it ended: its exit code, or the signal that killed it. */
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): Promise<void>
  /** The end of its output. */
  output(): string
}

export type SimulatorOptions = {
  baseUrl: string
  credential: Credential
  /** The directory of its print log and of the state that it needs after a crash. */
  directory: string
  /** How it works, if not quickly and without errors. */
  floor?: object
}

export function startSimulator({
  baseUrl,
  credential,
  directory,
  floor = {},
}: SimulatorOptions): SimulatorProcess {
  const child = spawn(process.execPath, ['services/provider-simulator/src/main.ts'], {
    cwd: root,
    env: {
      ...environmentOfTools(),
      LOG_LEVEL: 'warn',
      DESPATCH_BASE_URL: baseUrl,
      DESPATCH_PROVIDER_USER_NAME: credential.userName,
      DESPATCH_PROVIDER_PASSWORD: credential.password,
      DESPATCH_PROVIDER_API_KEY: credential.apiKey,
      DESPATCH_PROVIDER_DIRECTORY: directory,
      DESPATCH_SIMULATOR_FLOOR: JSON.stringify({ pollIntervalMs: 50, printTimeMs: 0, ...floor }),
    },
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
  return { ended, kill, output: () => output, [Symbol.asyncDispose]: () => kill('SIGKILL') }
}
