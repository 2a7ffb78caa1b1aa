import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { PDFDocument } from 'pdf-lib'
import { makeConsumer } from '../../load/consumer.ts'
import { startRecordingReceiver } from '../../stack/callbacks/recording-receiver.ts'
import { readCallbacks } from '../callbacks/deliveries.ts'
import { seededChance } from '../seeded-chance.ts'
import { checkOutage, type Finding, type OutageHistory } from './check-outage.ts'
import { openClientHistory, outagesOf } from './client-history.ts'
import { countOutage } from './count-outage.ts'
import { readKeptLetters } from './kept-letters.ts'
import { type OutageGround, openOutageGround } from './outage-ground.ts'
import { planOutages } from './plan-outages.ts'
import { startPosting } from './posting-client.ts'
import { strike } from './strike.ts'
import { type SupervisedService, supervise } from './supervise.ts'
import { watchProgress } from './watch-progress.ts'

export type OutageOptions = {
  queue: 'postgres' | 'redis'
  /** How long the object store is away, in milliseconds. */
  outageMs: number
  databaseRestarts: number
  lettersPerSecond: number
  /** Processes of the pipeline. */
  pipelines: number
  /** How long letters are posted before the outage, and after it, in milliseconds. */
  calmMs: number
  /** How soon after the outage, or after its submission, a letter is PENDING, in milliseconds. */
  recoveryMsMax: number
  /** The longest pause of a client that the service has not asked for, in milliseconds. */
  backoffMsMax: number
  seed: number
  /** The directory where the history of the clients and the logs of the services are written. */
  records: string
  signal?: AbortSignal
  tell(line: string): void
}

export type OutageReport = { findings: Finding[]; counts: Record<string, number> }

/** A letter owes one callback of each. */
const callbackStatuses = ['VALIDATING', 'PENDING']
const differentPdfs = 20
const readDeadlineMs = 60_000

/**
 * Posts letters over HTTP at a steady rate, while the object store is away and PostgreSQL and Redis are killed meanwhile.
 * Gives what the history breaks of the rules once everything that was accepted is PENDING and told, or time is up.
 */
export async function keepThroughOutages(options: OutageOptions): Promise<OutageReport> {
  const { queue, records, seed, outageMs, calmMs, recoveryMsMax, tell, signal } = options
  const calm = () => pause(calmMs, undefined, signal ? { signal } : {})
  await using parts = new AsyncDisposableStack()
  const history = openClientHistory(join(records, 'history.jsonl'))
  parts.defer(() => history.close())
  tell('starting PostgreSQL (durable), the object store, the queues and the services')
  const ground = parts.use(await openOutageGround({ queue, logDirectory: records }))
  const { DATABASE_URL, DESPATCH_SECRET_KEY } = ground.environment
  const database = openDatabase(DATABASE_URL, { name: 'faults', connectionsMax: 2 })
  parts.defer(() => database.close())
  const consumer = await addConsumer(database, DESPATCH_SECRET_KEY)
  const receiver = parts.use(await startRecordingReceiver())
  const services = await startServices(parts, ground, options)
  const watch = watchProgress(database, consumer.consumerId, tell)
  parts.defer(() => watch.stop())

  const client = startPosting({
    ...options,
    baseUrl: services.intake.url,
    credential: consumer,
    callbackTarget: `${receiver.origin}/callbacks`,
    pdfs: await makePdfs(),
    history,
  })
  await calm()
  const blows = planOutages({
    outageMs,
    databaseRestarts: options.databaseRestarts,
    queueRestarts: queue === 'redis' ? 1 : 0,
    chance: seededChance(seed, 'outages'),
  })
  const { repliesLost } = await strike(blows, { ...options, ground, history })
  const endedAt = Date.now()
  tell('everything is back')
  await calm()
  // The last letter is accepted after a pause of its client, and a callback that was under way waits for its lease.
  const outOfTime = AbortSignal.timeout(recoveryMsMax + 2 * options.backoffMsMax)
  const givenUp = AbortSignal.any([outOfTime, ...(signal ? [signal] : [])])
  await client.finish(givenUp)
  await watch.untilSettled(givenUp)
  signal?.throwIfAborted()
  tell(outOfTime.aborted ? 'out of time' : 'everything is PENDING and told')

  const outages = outagesOf(history.lines)
  const read = <T>(what: () => Promise<T>) =>
    eventually(what, { deadlineMs: readDeadlineMs, message: 'the database can be read' })
  const outageHistory: OutageHistory = {
    lines: history.lines,
    kept: await read(() => readKeptLetters(database, consumer.consumerId)),
    deliveries: {
      callbacks: await read(() => readCallbacks(database, consumer.consumerId)),
      calls: receiver.calls,
      blows: outages.flatMap(({ from, to }) => [from, to]),
      thaws: [],
    },
    endedAt,
    recoveryMsMax,
    callbackStatuses,
  }
  const measured = {
    parkedAtMost: watch.parkedAtMost(),
    repliesLost,
    restarts: services.restarts(),
  }
  return {
    findings: checkOutage(outageHistory),
    counts: countOutage(outageHistory, measured),
  }
}

async function addConsumer(database: Database, secretKey: string) {
  const consumer = await makeConsumer(database.db, secretKey)
  await database.pool.query('update contract set callback_statuses = $2 where consumer_id = $1', [
    consumer.consumerId,
    callbackStatuses,
  ])
  return consumer
}

async function startServices(
  parts: AsyncDisposableStack,
  { environment }: OutageGround,
  { pipelines, records, tell }: OutageOptions,
): Promise<{ intake: SupervisedService; restarts(): number }> {
  const start = async (name: string, logName = name) =>
    parts.use(
      await supervise(name, {
        environment: {
          ...environment,
          DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8',
          DESPATCH_COMPOSE_THREADS: '1',
        },
        logDirectory: records,
        logName,
        tell,
      }),
    )
  // One after another: a busy machine that starts all at once starts none in time.
  const intake = await start('print-request')
  const services = [intake, await start('callbacks')]
  for (let number = 1; number <= pipelines; number += 1) {
    services.push(await start('pipeline', `pipeline-${number}`))
  }
  const restarts = () => services.reduce((sum, service) => sum + service.restarts(), 0)
  return { intake, restarts }
}

function makePdfs(): Promise<Uint8Array<ArrayBuffer>[]> {
  return Promise.all(
    Array.from({ length: differentPdfs }, async (_, index) => {
      const document = await PDFDocument.create()
      document.addPage([595.28, 841.89]).drawText(`Enclosure ${index}`, { x: 72, y: 700 })
      return new Uint8Array(await document.save())
    }),
  )
}
