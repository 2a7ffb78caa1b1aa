import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { DriverSourceName } from '@despatch/contracts/driver-sources/operations'
import { eventually } from '@despatch/testing/eventually'

const main = resolve(import.meta.dirname, '../../driver-sources/src/main.ts')

export type RealSource = {
  url: string
  stop(): Promise<void>
  /** Starts it again at the same address. */
  start(): Promise<void>
}

/** A source as in production: a separate process on a free port. */
export async function aRealSource(
  name: DriverSourceName,
  { databaseUrl, token }: { databaseUrl: string; token: string },
): Promise<RealSource> {
  let child: ChildProcess
  let exited: Promise<unknown> = Promise.resolve()

  async function start(port: string): Promise<string> {
    const { PATH = '', NODE_COMPILE_CACHE } = process.env
    const environment = {
      PATH,
      ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      DATABASE_URL: databaseUrl,
      DESPATCH_DRIVER_SOURCE: name,
      DESPATCH_SOURCE_TOKEN: token,
      PORT: port,
    }
    const started = spawn(process.execPath, [main], { env: environment })
    child = started
    exited = once(started, 'exit')
    let output = ''
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    return eventually(
      () => {
        if (started.exitCode !== null) throw new Error(`the source exited: ${output}`)
        return /started at (http[^"\s]+)/.exec(output)?.[1]
      },
      { message: `the source of ${name} data listens` },
    )
  }

  const url = await start('0')
  return {
    url,
    start: async () => {
      await start(new URL(url).port)
    },
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
