import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileDestination } from '@despatch/telemetry/file-destination'
import { createLogger } from '@despatch/telemetry/logger'
import { explainStartFailure } from './explain-start-failure.ts'
import { type Stack, startStack } from './stack.ts'

const startedAt = performance.now()
const dataDirectory = process.env.DESPATCH_DATA_DIR || '.despatch'
mkdirSync(dataDirectory, { recursive: true, mode: 0o711 })
const logPath = join(dataDirectory, 'despatch.log')
const log = fileDestination(logPath)

/** Longer than a service of its own has, since they close in turn. */
const closeDeadlineMs = 60_000

// A signal that comes while starting is acted on as soon as there is something to close. Listeners stay: Ctrl-C under
// npm comes twice, from the terminal and from npm, and the second must not cut the closing short.
const stopSignal = new Promise<NodeJS.Signals>((resolve) => {
  process.on('SIGINT', resolve)
  process.on('SIGTERM', resolve)
})

try {
  const stack = await startStack({
    environment: process.env,
    log,
    onProgress: (step) => process.stdout.write(`Despatch is ${step} …\n`),
  })
  process.stdout.write(describe(stack))
  await stopSignal
  process.stdout.write('\nDespatch is stopping …\n')
  setTimeout(() => process.exit(1), closeDeadlineMs).unref()
  await stack.close()
  process.exit(0)
} catch (error) {
  createLogger({ service: 'standalone', destination: log }).fatal({ err: error }, 'start.failed')
  process.stderr.write(`Despatch cannot start: ${explainStartFailure(error)}\n`)
  process.exit(1)
}

function describe({ credentials, credentialsPath, isFirstStart, embedded }: Stack): string {
  const { baseUrl, opsUrl, consumer, provider, operator } = credentials
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const users = [consumer, provider, operator].map(
    ({ userName, password, apiKey }) =>
      `  ${userName.padEnd(14)} password ${password}  API key ${apiKey}\n`,
  )
  return [
    `Despatch is ready after ${seconds} s.\n\n`,
    `  API          ${baseUrl}\n`,
    `  Operations   ${opsUrl}\n`,
    `  Credentials  ${credentialsPath}\n`,
    `  Log          ${logPath}\n`,
    embedded.length > 0 ? `  Embedded     ${embedded.join(', ')}\n` : '',
    ...(isFirstStart ? ['\nUsers made by this first start:\n', ...users] : []),
    '\nCtrl-C stops it.\n',
  ].join('')
}
