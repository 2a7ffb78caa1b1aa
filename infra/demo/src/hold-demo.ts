import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { styleText } from 'node:util'
import { findHome } from '@despatch/embedded/accessible-directory'
import { endProcess } from '@despatch/http/end-process'
import { explainStartFailure } from '@despatch/standalone/explain-start-failure'
import { startStack } from '@despatch/standalone/stack'
import { fileDestination } from '@despatch/telemetry/file-destination'
import { runDemo } from './run-demo.ts'
import { print, say } from './say.ts'
import { printSummary } from './summary.ts'

/** A slow machine that is busy with other work takes over a minute. */
const deadlineMs = 180_000
/** Without a limit, something that hangs would also block the end. */
const closeDeadlineMs = 20_000

type Hold = { isExitWanted: boolean; stop: AbortSignal }

/**
 * Starts the system, runs the demonstration, prints how it ended and, unless an exit is wanted, serves until it is
 * stopped. Closes everything before it returns. Returns `stopped` only if it was stopped before the end.
 */
export async function holdDemo(hold: Hold): Promise<'succeeded' | 'failed' | 'stopped'> {
  const resources = new AsyncDisposableStack()
  const directory = await makeDirectory(resources)
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  const outputDirectory = resolve('demo-output', time)
  let outcome: Awaited<ReturnType<typeof holdDemo>> = 'failed'
  try {
    const faultCount = await show({ ...hold, resources, directory, outputDirectory })
    if (faultCount === 0) outcome = 'succeeded'
  } catch (error) {
    if (hold.stop.aborted) outcome = 'stopped'
    else await reportFailure(error, directory, outputDirectory)
  }
  say('despatch', 'stopping …')
  setTimeout(() => endProcess(1), closeDeadlineMs).unref()
  await resources.disposeAsync()
  say('despatch', 'stopped')
  return outcome
}

/** Makes a temporary directory, which is removed with the resources. */
async function makeDirectory(resources: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-demo-'))
  // The embedded database runs under its own account, which must be able to pass through.
  await chmod(directory, 0o711)
  resources.defer(async () => {
    // If the database's account cannot enter the directory, the database's files are elsewhere.
    for (const place of [await findHome(join(directory, 'postgres')), directory]) {
      await rm(place, { recursive: true, force: true, maxRetries: 3 })
    }
  })
  return directory
}

async function show({
  isExitWanted,
  stop,
  ...place
}: Hold & { resources: AsyncDisposableStack; directory: string; outputDirectory: string }) {
  const { directory } = place
  const log = fileDestination(join(directory, 'despatch.log'))
  const environment = {
    DESPATCH_DATA_DIR: directory,
    DESPATCH_HOST: '127.0.0.1',
    DESPATCH_PORT: '0',
    DESPATCH_OPS_PORT: '0',
    // Has predefined outcomes, vehicles and drivers.
    DESPATCH_ENVIRONMENT: 'uat',
    DESPATCH_SIMULATOR: 'on',
    DESPATCH_SIMULATOR_FLOOR: '{"pollIntervalMs":300,"printTimeMs":1000}',
  }
  const onProgress = (step: string) => say('despatch', `${step} …`)
  const stack = await startStack({ environment, log, onProgress })
  place.resources.defer(() => stack.close())
  say('despatch', `ready on free ports; embedded: ${stack.embedded.join(', ')}`)
  const deadline = new AbortController()
  const late = new Error(`not all was done within ${deadlineMs / 1000} s`)
  setTimeout(() => deadline.abort(late), deadlineMs).unref()
  const signal = AbortSignal.any([stop, deadline.signal])
  // The first start in a directory makes the users.
  const result = await runDemo({ ...place, credentials: stack.credentials!, signal })
  const faultCount = printSummary(result, place.outputDirectory)
  if (!isExitWanted) {
    printPlaces(stack, `DESPATCH_DATA_DIR=${directory} npx despatch`, result.letters[0]!.id)
    if (!stop.aborted) await new Promise((done) => stop.addEventListener('abort', done))
  }
  return faultCount
}

function printPlaces(
  { baseUrl, opsUrl, credentialsPath }: Awaited<ReturnType<typeof startStack>>,
  command: string,
  letterId: string,
): void {
  print(
    `   API                 ${baseUrl}, with its reference at ${baseUrl}/docs`,
    `   Console             ${opsUrl}, for the operator`,
    `   Credentials         ${credentialsPath}`,
    '',
    ' Read letter 1 as its consumer does:',
    '',
    `   ${command} jobs show ${letterId}`,
    '',
    ' After Ctrl-C, send letters of your own:',
    '',
    '   npm start                   the same system, which keeps its data',
    '   docs/first-print-jobs.md    the first guide: submit, upload, receive callbacks',
    '   docs/test-environment.md    recipients, vehicles and drivers with predefined outcomes',
    '',
    styleText('bold', ' Serving until Ctrl-C.'),
  )
}

/** The log is saved, because it would be removed with its directory. */
async function reportFailure(error: unknown, directory: string, outputDirectory: string) {
  const path = join(outputDirectory, 'despatch.log')
  await mkdir(outputDirectory, { recursive: true })
  await copyFile(join(directory, 'despatch.log'), path)
  const reason = ` ✗ The demo failed: ${explainStartFailure(error)}`
  print('', styleText('red', reason), `   Log: ${path}`)
}
