import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Environment } from '@despatch/config/read-config'
import type { Credentials } from '@despatch/standalone/credentials'
import { explainStartFailure } from '@despatch/standalone/explain-start-failure'
import { credentialsElsewhere } from '@despatch/standalone/find-users'
import { type Stack, startStack } from '@despatch/standalone/stack'
import type { LogDestination } from '@despatch/telemetry/logger'
import { type ReceivedCallback, startCallbackReceiver } from './callback-receiver.ts'
import { writeOutput } from './collect-documents.ts'
import { explainRefusal, type Refusal } from './explain-refusal.ts'
import { reasonOf } from './fetch-or-explain.ts'
import { findFaults } from './find-faults.ts'
import { describeOutstanding, isComplete, type LetterProgress } from './letter-progress.ts'
import { isRejectedByChecks, makeSampleLetters } from './letters/sample-letters.ts'
import { openFactory } from './open-factory.ts'
import { postLetters } from './post-letters.ts'
import { type ProductionReport, reportProduction } from './report-production.ts'
import { type RecordsReport, reportRecords } from './report-records.ts'
import { drawLetterTable } from './screen/letter-table.ts'
import type { Screen } from './screen/screen.ts'
import { untilAborted } from './until-aborted.ts'
import { inspectOperations } from './users/operator.ts'
import { type Session, signIn } from './users/session.ts'
import { watchLetters } from './watch-letters.ts'

export type Demo = {
  environment: Environment
  dataDirectory: string
  outputDirectory: string
  log: LogDestination
  screen: Screen
  /** Aborted by Ctrl-C and by the deadline. */
  signal: AbortSignal
  /** Resources to close at the end. The stack serves until then. */
  resources: AsyncDisposableStack
}

/** The running system, whose users the demo can sign in as. */
export type DemoStack = Stack & { credentials: Credentials }

export type DemoResult = {
  stack: DemoStack
  consumer: Session
  letters: LetterProgress[]
  production: ProductionReport
  /** For the letter that the checks reject as expected. */
  refusal: Refusal
  /** Undefined if there were records from elsewhere. */
  records: RecordsReport | undefined
  faults: string[]
}

/**
 * Starts the system and acts as its three users over HTTP, until every letter has its final status and is reconciled,
 * and enquiries about vehicles and drivers have been answered. Throws if a step fails, naming it, or with the signal's
 * reason.
 */
export async function runDemo(demo: Demo): Promise<DemoResult> {
  const { dataDirectory, screen, signal } = demo
  const stack = await start(demo)
  const sessions = await signInAll(stack, demo)
  const letters = (await makeSampleLetters(randomUUID)).map(
    (letter): LetterProgress => ({ letter, events: [], callbacks: [] }),
  )
  const callbackFaults: string[] = []
  const callbackParams = await receiveCallbacks(letters, callbackFaults, demo)
  const dryRun = await postLetters({
    session: sessions.consumer,
    letters: letters.map(({ letter }) => letter),
    callbackParams,
    screen,
    signal,
  })
  const factoryDirectory = join(dataDirectory, 'print-factory')
  const factory = await openFactory({
    credentials: stack.credentials,
    consumer: sessions.consumer,
    letters: letters.map(({ letter }) => letter),
    factoryDirectory,
    log: demo.log,
    screen,
  })
  demo.resources.use(factory)
  await watch(sessions.consumer, letters, demo)

  const production = await reportProduction({
    session: sessions.provider,
    letters,
    factoryDirectory,
    screen,
    signal,
  })
  const { printRuns, printLog } = production
  const refusal = await explainRefusal(letters.find(({ letter }) => isRejectedByChecks(letter))!, {
    session: sessions.consumer,
    dryRun,
    screen,
  })
  await writeOutput(demo.outputDirectory, letters, printRuns, refusal.proofs)
  const operationsFaults = await lookAsOperator(stack, demo)
  const records = await reportRecords({ ...sessions, dataDirectory, screen, signal })
  const faults = [
    ...findFaults({ letters, printRuns, printLog, refusal, records }),
    ...callbackFaults,
    ...operationsFaults,
  ]
  return { stack, consumer: sessions.consumer, letters, production, refusal, records, faults }
}

async function start({ environment, log, screen, signal, resources }: Demo): Promise<DemoStack> {
  const onProgress = (step: string) => {
    if (!signal.aborted) screen.say('despatch', `${step} …`)
  }
  const starting = startStack({ environment, log, onProgress })
  // Runs even if nobody waits for the start any more: what was started is stopped.
  resources.defer(async () => {
    const started = await starting.catch(() => undefined)
    await started?.close()
  })
  const explained = starting.catch((cause) => {
    throw new Error(`it cannot start: ${withoutStack(explainStartFailure(cause))}`, { cause })
  })
  const { credentials, ...stack } = await untilAborted(explained, signal)
  if (!credentials) {
    throw new Error(`it cannot run: the users' credentials are ${credentialsElsewhere}`)
  }
  const embedded = stack.embedded.length > 0 ? `; embedded: ${stack.embedded.join(', ')}` : ''
  screen.say('despatch', `ready on free ports${embedded}`)
  return { ...stack, credentials }
}

function withoutStack(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n')
}

async function signInAll({ credentials }: DemoStack, { screen, signal }: Demo) {
  const { baseUrl, opsUrl } = credentials
  const signInAs = async (actor: 'consumer' | 'provider' | 'operator') => {
    const address = actor === 'operator' ? opsUrl : baseUrl
    const session = await signIn({ baseUrl, address }, credentials[actor], signal)
    screen.say(actor, `signed in as ${session.userName}: a token for an hour`)
    return session
  }
  return {
    consumer: await signInAs('consumer'),
    provider: await signInAs('provider'),
    operator: await signInAs('operator'),
  }
}

async function receiveCallbacks(
  letters: readonly LetterProgress[],
  faults: string[],
  { screen, resources }: Demo,
) {
  const authenticationHeader = `Bearer ${randomUUID()}`
  const onCallback = (callback: ReceivedCallback) => {
    if (callback.kind === 'refused') {
      faults.push(`a callback was refused: ${callback.reason}`)
      return
    }
    const { jobId, jobStatus } = callback.envelope.data
    const progress = letters.find(({ letter }) => letter.id === jobId)
    if (!progress) return
    progress.callbacks.push(callback.envelope)
    screen.say('callback', `letter ${progress.letter.number} is ${jobStatus}`)
  }
  const receiver = resources.use(await startCallbackReceiver({ authenticationHeader, onCallback }))
  return { target: receiver.url, authenticationHeader }
}

async function watch(
  session: Session,
  letters: readonly LetterProgress[],
  { screen, signal }: Demo,
): Promise<void> {
  screen.showBelow((columns) => drawLetterTable(letters, { columns, paint: screen.paint }))
  try {
    await watchLetters({
      session,
      letters,
      signal,
      onMove: ({ letter }, statuses) => {
        if (screen.isLive) screen.redraw()
        else screen.say('letters', `letter ${letter.number}: ${statuses.join(' → ')}`)
      },
    })
  } catch (error) {
    const outstanding = letters.filter((progress) => !isComplete(progress)).map(describeOutstanding)
    throw new Error([reasonOf(error), ...outstanding].join('\n   '), { cause: error })
  } finally {
    screen.settle()
  }
}

async function lookAsOperator(
  { credentials }: DemoStack,
  { screen, signal }: Demo,
): Promise<string[]> {
  const { opsUrl, operator } = credentials
  const { checkCount, faults } = await inspectOperations({ opsUrl, operator, signal })
  if (faults.length === 0) {
    screen.say(
      'operator',
      `found ${checkCount} health checks well, nothing parked, nothing given up`,
    )
  }
  return faults
}
