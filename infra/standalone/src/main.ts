import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { endProcess } from '@despatch/http/end-process'
import { fileDestination } from '@despatch/telemetry/file-destination'
import { createLogger, type LogDestination } from '@despatch/telemetry/logger'
import { explainStartFailure } from './explain-start-failure.ts'
import { type CredentialsOrigin, credentialsElsewhere } from './find-users.ts'
import { type Stack, startStack } from './stack.ts'

const startedAt = performance.now()
const dataDirectory = process.env.DESPATCH_DATA_DIR || '.despatch'
const logPath = join(dataDirectory, 'despatch.log')
let log: LogDestination | undefined

/** Longer than the limit of a single service, because they close one after the other. */
const closeDeadlineMs = 60_000

const whereCredentialsAre: Record<CredentialsOrigin, (path: string) => string> = {
  file: (path) => path,
  made: (path) => `${path}, of the users that this first start made`,
  renewed: (path) =>
    `${path}, written again: it was lost, so the users have new passwords and API keys`,
  elsewhere: () => credentialsElsewhere,
}

// A signal during the start takes effect once there is something to close. The listeners stay, because under npm Ctrl-C
// arrives twice, from the terminal and from npm, and the second must not abort the closing.
const stopSignal = new Promise<NodeJS.Signals>((resolve) => {
  process.on('SIGINT', resolve)
  process.on('SIGTERM', resolve)
})
process.on('uncaughtException', (error) => end('Despatch stops', error, 'process.failed'))

try {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o711 })
  log = fileDestination(logPath)
  const stack = await startStack({
    environment: process.env,
    log,
    onProgress: (step) => process.stdout.write(`Despatch is ${step} …\n`),
    onReadFailure: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(describe(stack))
  const ending = await Promise.race([stopSignal, stack.failed])
  setTimeout(() => endProcess(1), closeDeadlineMs).unref()
  if (ending instanceof Error) {
    process.stderr.write(`Despatch stops: ${explainStartFailure(ending)}\n`)
    process.exitCode = 1
  } else {
    process.stdout.write('\nDespatch is stopping …\n')
  }
  await stack.close()
  endProcess()
} catch (error) {
  end('Despatch cannot start', error, 'start.failed')
}

function end(what: string, error: unknown, event: string): never {
  process.stderr.write(`${what}: ${explainStartFailure(error)}\n`)
  if (log) createLogger({ service: 'standalone', destination: log }).fatal({ err: error }, event)
  process.exit(1)
}

function describe({
  baseUrl,
  opsUrl,
  credentialsPath,
  credentialsOrigin,
  embedded,
  isSimulated,
}: Stack): string {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  return [
    `Despatch is ready after ${seconds} s.\n\n`,
    `  Log          ${logPath}\n`,
    embedded.length > 0 ? `  Embedded     ${embedded.join(', ')}\n` : '',
    isSimulated
      ? '  Factory      simulated: it reports letters as posted and prints nothing (off: DESPATCH_SIMULATOR=off)\n'
      : '  Factory      none (DESPATCH_SIMULATOR=on runs a simulated one)\n',
    '\n',
    `  API          ${baseUrl}, with its reference at ${baseUrl}/docs\n`,
    `  Console      ${opsUrl}, for the operator\n`,
    `  Credentials  ${whereCredentialsAre[credentialsOrigin](credentialsPath)}\n`,
    '  First steps  docs/first-print-jobs.md\n',
    '\nCtrl-C stops it. The next start continues with the same data.\n',
  ].join('')
}
