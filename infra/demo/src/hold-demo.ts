import { copyFile, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { WriteStream } from 'node:tty'
import type { Environment } from '@despatch/config/read-config'
import { explainStartFailure } from '@despatch/standalone/explain-start-failure'
import { fileDestination } from '@despatch/telemetry/file-destination'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import { makeDemoEnvironment } from './demo-environment.ts'
import { reasonOf } from './fetch-or-explain.ts'
import { makeOwnDatabase } from './own-database.ts'
import { runDemo } from './run-demo.ts'
import { createScreen, type Screen } from './screen/screen.ts'
import { printSummary } from './summary.ts'

/** A slow machine that is busy with other work takes over a minute. */
const deadlineMs = 180_000
const closeDeadlineMs = 20_000
const logName = 'despatch.log'

export type DemoOutcome = 'succeeded' | 'failed' | 'stopped'

type Holding = {
  environment: Environment
  terminal: Pick<WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>
  isExitWanted: boolean
  stop: AbortSignal
}

/**
 * Runs the demonstration, prints how it ended and, unless an exit is requested, serves until it is stopped. Closes
 * everything before it returns. Returns `stopped` only if it was stopped before the end.
 */
export async function holdDemo(holding: Holding): Promise<DemoOutcome> {
  const { environment, terminal, stop } = holding
  const isLive = Boolean(terminal.isTTY) && environment.TERM !== 'dumb'
  const hasColour = isLive && !environment.NO_COLOR
  // Counted from the start of the process.
  const screen = createScreen(terminal, { isLive, hasColour, elapsedMs: () => performance.now() })
  const resources = new AsyncDisposableStack()
  let outcome: DemoOutcome = 'failed'
  try {
    outcome = await show(holding, screen, resources)
  } catch (error) {
    if (stop.aborted) outcome = 'stopped'
    else screen.print('', screen.paint.red(` ✗ ${reasonOf(error)}`))
  }
  try {
    screen.say('despatch', 'stopping …')
    await closeInTime(resources)
    screen.say('despatch', 'stopped')
  } catch (error) {
    screen.print(screen.paint.red(` ✗ Stopping failed: ${reasonOf(error)}`))
    outcome = 'failed'
  }
  return outcome
}

/** Without a limit, a start that hangs would also block the stop. */
async function closeInTime(resources: AsyncDisposableStack): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`not all was closed within ${closeDeadlineMs / 1000} s`)),
    closeDeadlineMs,
  )
  try {
    await Promise.race([resources.disposeAsync(), late])
  } finally {
    clearTimeout(timer)
  }
}

async function show(
  { environment, isExitWanted, stop }: Holding,
  screen: Screen,
  resources: AsyncDisposableStack,
): Promise<DemoOutcome> {
  const { data, log } = await openPlace(environment, resources)
  const outputDirectory = nameOutputDirectory(new Date())
  const deadline = new AbortController()
  const timer = setTimeout(
    () => deadline.abort(new Error(`not all was done within ${deadlineMs / 1000} s`)),
    deadlineMs,
  )
  try {
    const result = await runDemo({
      environment: makeDemoEnvironment(environment, {
        dataDirectory: data.path,
        databaseUrl: await chooseDatabase(environment, data, resources),
      }),
      dataDirectory: data.path,
      outputDirectory,
      log,
      screen,
      signal: AbortSignal.any([stop, deadline.signal]),
      resources,
    })
    clearTimeout(timer)
    const isServing = !isExitWanted
    await printSummary(result, { screen, dataDirectory: data.path, outputDirectory, isServing })
    if (isServing) await serve(screen, stop)
    return result.faults.length === 0 ? 'succeeded' : 'failed'
  } catch (error) {
    if (stop.aborted) throw error
    const logPath = await keepLog(data, outputDirectory)
    throw new Error(`The demo failed: ${reasonOf(error)}\n   Log: ${logPath}`, { cause: error })
  }
}

async function openPlace(environment: Environment, resources: AsyncDisposableStack) {
  try {
    const data = resources.use(await openDataDirectory(environment.DESPATCH_DATA_DIR))
    return { data, log: fileDestination(join(data.path, logName)) }
  } catch (cause) {
    throw new Error(`The demo cannot start: ${explainStartFailure(cause)}`, { cause })
  }
}

/**
 * A given database is shared with others, so the demo uses its own database on the same server if it may create one.
 */
async function chooseDatabase(
  { DATABASE_URL }: Environment,
  { isTemporary }: DataDirectory,
  resources: AsyncDisposableStack,
): Promise<string | undefined> {
  const isPostgres = /^postgres(ql)?:/.test(DATABASE_URL ?? '')
  if (!DATABASE_URL || !isPostgres || !isTemporary) return DATABASE_URL
  const database = await makeOwnDatabase(DATABASE_URL)
  if (database) resources.use(database)
  return database?.url ?? DATABASE_URL
}

function nameOutputDirectory(now: Date): string {
  return resolve('demo-output', now.toISOString().slice(0, 19).replaceAll(':', '-'))
}

async function serve(screen: Screen, stop: AbortSignal): Promise<void> {
  screen.print(
    screen.paint.bold(' Serving until Ctrl-C. Until then, sign in to the console as the operator.'),
  )
  if (stop.aborted) return
  await new Promise((done) => stop.addEventListener('abort', done, { once: true }))
  screen.print('')
}

/** Saves the log of a temporary directory, which would be deleted with it. */
async function keepLog(data: DataDirectory, outputDirectory: string): Promise<string> {
  const path = join(data.path, logName)
  if (!data.isTemporary) return path
  const kept = join(outputDirectory, logName)
  await mkdir(outputDirectory, { recursive: true })
  await copyFile(path, kept)
  return kept
}
