import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { PDFDocument } from 'pdf-lib'
import { type BenchConsumer, makeConsumer } from '../load/consumer.ts'
import { replayTimelines } from '../model/replay-timelines.ts'
import {
  type ReceiverOptions,
  type RecordingReceiver,
  startRecordingReceiver,
} from '../stack/callbacks/recording-receiver.ts'
import { liftUsagePlans } from '../stack/lift-usage-plans.ts'
import { addProvider } from '../stack/provider-loop/add-provider.ts'
import { checkRun, type RunFacts } from './checks/check-run.ts'
import type { Finding } from './checks/finding.ts'
import { keepSignedIn } from './clients/keep-signed-in.ts'
import { type PostingClient, type PostingOptions, startPosting } from './clients/posting-client.ts'
import { readChanges } from './facts/changes.ts'
import { type ClientHistory, openClientHistory } from './facts/client-history.ts'
import { readCallbacks } from './facts/deliveries.ts'
import { readKeptLetters } from './facts/kept-letters.ts'
import { readPrintHistory } from './facts/print-history.ts'
import type { DatabaseServer } from './ground/database-server.ts'
import { type Ground, openGround } from './ground/open-ground.ts'
import { seedDatabase } from './ground/seed-database.ts'
import { type Fleet, startFleet } from './ground/start-fleet.ts'
import { type ProgressWatch, watchProgress } from './ground/watch-progress.ts'
import { type Chance, seededChance } from './seeded-chance.ts'

/** What to start, what clients do, and which faults occur. */
export type RunPlan = {
  /** The status that every letter must reach. For DESPATCHED, letters are printed and posted. */
  goal: 'PENDING' | 'DESPATCHED'
  /** Whether services that clients call run twice behind a load balancer. Default: they run once. */
  isBalanced?: boolean
  pipelines: number
  deliverers: number
  /** Settings of all services. */
  settings?: Record<string, string>
  factoryFloor?: object
  /** Settings of one process, by its name and the number of the start, from 1. */
  memberSettings?: (name: string, start: number) => Record<string, string>
  lettersPerSecond: number
  /** The clients begin no letter while so many are under way. Otherwise letters pile up on a slow machine. */
  lettersUnderWayMax?: number
  /**
   * The share of the letters that ask for callbacks, from 0 to 1: for the final statuses, or for `callbackStatuses`.
   */
  calledBackShare: number
  callbackStatuses?: readonly string[]
  /** The longest pause of a client when the service sends no Retry-After, in milliseconds. */
  backoffMsMax: number
  /** How long letters are posted before the first blow, and again after the last, in milliseconds. */
  calmMs: number
  /**
   * After the last blow, the maximum time in which no letter reaches its goal although some are under way. In
   * milliseconds.
   */
  recoveryMsMax: number
  /** The letters use them in turn. Default: one receiver that accepts every call. */
  receivers?: readonly ReceiverPlan[]
  /** How long callbacks are retried. Default: 3 hours. */
  retryWindowSeconds?: number
  /** Whether callbacks may be given up because their receivers fail. */
  mayDie?: boolean
  /** Carries out all blows. Settles when everything is back. */
  strike(world: World): Promise<void>
  /** Further checks, made at the end. */
  judge?(world: World, facts: RunFacts): Promise<Finding[]> | Finding[]
}

/** A receiver. `target` maps its address to the one that letters name. */
export type ReceiverPlan = ReceiverOptions & { target?: (origin: string) => string }

export type RunOptions = {
  queue: 'postgres' | 'redis'
  server: DatabaseServer
  seed: number
  /** The directory for the history and the logs of the services. */
  records: string
  signal?: AbortSignal
  tell(line: string): void
}

/** The running system, for the code that strikes it. */
export type World = RunOptions & {
  ground: Ground
  fleet: Fleet
  database: Database
  consumer: BenchConsumer
  client: PostingClient
  receivers: readonly RecordingReceiver[]
  history: ClientHistory
  watch: ProgressWatch
  chance: Chance
  /** The files that clients send. */
  pdfs: readonly Uint8Array<ArrayBuffer>[]
  /** Violations that were seen during the blows. */
  seen: Finding[]
  /** Does one thing to the system, and records when it began and ended. */
  blow<Result>(name: string, act: () => Promise<Result>): Promise<Result>
  /**
   * Takes a dependency away and brings it back. While it is away, an answer of 5xx leaves open whether the letter was
   * saved.
   */
  outage<Result>(dependency: string, act: () => Promise<Result>): Promise<Result>
  /** Notes that a frozen process resumed: it may send one more call that it was about to send. */
  noteThaw(): void
  /** Adds something to stop when the run ends. */
  keep(stop: () => Promise<unknown>): void
  pause(ms: number): Promise<void>
}

export type RunReport = {
  findings: Finding[]
  counts: Record<string, number>
  recoverySeconds: number
}

const finalStatuses = ['DESPATCHED', 'REJECTED']
const retryWindowSecondsDefault = 10_800
const differentPdfs = 20
const readDeadlineMs = 60_000
/** How long to wait after the recovery time. Then the result is judged as it is. */
const graceMs = 5_000

/**
 * Starts the system, posts letters over HTTP at a steady rate, strikes, and follows every accepted letter to its goal.
 * Returns the rules that the history of the clients, the factory, the receivers and the database breaks.
 */
export async function runUnderFaults(plan: RunPlan, options: RunOptions): Promise<RunReport> {
  await using parts = new AsyncDisposableStack()
  const thaws: number[] = []
  const world = await openWorld(plan, { options, parts, thaws })
  const { history, client, watch, tell, signal } = world
  await world.pause(plan.calmMs)
  await plan.strike(world)
  const endedAt = Date.now()
  tell('everything is back')
  await world.pause(plan.calmMs)
  // A client may pause before its last letter is accepted.
  const outOfTime = watch.stalled(plan.recoveryMsMax + plan.calmMs + plan.backoffMsMax + graceMs)
  const givenUp = AbortSignal.any([outOfTime, ...(signal ? [signal] : [])])
  await client.finish(givenUp)
  await watch.untilSettled(givenUp)
  signal?.throwIfAborted()
  tell(
    outOfTime.aborted ? 'out of time' : `every letter is ${plan.goal} and its callbacks are over`,
  )

  const facts = await readFacts(plan, world, { endedAt, thaws })
  noteSightings(history, facts)
  const judged = (await plan.judge?.(world, facts)) ?? []
  return {
    findings: [...checkRun(facts), ...world.seen, ...judged],
    counts: countRun(world, facts),
    recoverySeconds: recoverySeconds(facts),
  }
}

type Opening = { options: RunOptions; parts: AsyncDisposableStack; thaws: number[] }

async function openWorld(plan: RunPlan, { options, parts, thaws }: Opening): Promise<World> {
  const { queue, server, records, seed, tell, signal } = options
  const history = openClientHistory(join(records, 'history.jsonl'))
  parts.defer(() => history.close())
  const ground = parts.use(await openGround({ queue, server, logDirectory: records }))
  const { environment } = await ground.link()
  const database = openDatabase(environment.DATABASE_URL, { name: 'faults', connectionsMax: 4 })
  parts.defer(() => database.close())
  const callbackStatuses = plan.callbackStatuses ?? finalStatuses
  const { consumer, provider } = await seedDatabase(
    server,
    environment.DATABASE_URL,
    async (own) => ({
      consumer: await addConsumer(own, environment.DESPATCH_KEY_SIGNING, callbackStatuses),
      provider: plan.goal === 'DESPATCHED' ? await addProvider(own) : undefined,
    }),
  )
  parts.defer(keepSignedIn(consumer))
  await liftUsagePlans(environment.DATABASE_URL)
  const receiverPlans = plan.receivers ?? [{}]
  const receivers = await Promise.all(
    receiverPlans.map(async (receiver) => parts.use(await startRecordingReceiver(receiver))),
  )
  const targets = receivers.map(({ origin }, index) => {
    const { target = () => origin } = receiverPlans[index]!
    return `${target(origin)}/callbacks`
  })
  const fleet = await startFleet(
    {
      ...plan,
      settings: { ...everywhere, ...plan.settings },
      firstTree: server.releaseTree,
      ...(provider && { provider: provider.credential }),
    },
    { ground, parts, records, tell },
  )
  const watch = watchProgress(database, consumer.consumerId, { goal: plan.goal, tell })
  parts.defer(() => watch.stop())
  const pdfs = await makePdfs()
  const posting: PostingOptions = {
    baseUrl: fleet.intakeUrl,
    credential: consumer,
    callbackTarget: (number) => targets[number % targets.length]!,
    retryWindowSeconds: plan.retryWindowSeconds ?? retryWindowSecondsDefault,
    pdfs,
    history,
    backoffMsMax: plan.backoffMsMax,
    lettersPerSecond: plan.lettersPerSecond,
    mayBegin: (unanswered) =>
      unanswered + watch.underWay() < (plan.lettersUnderWayMax ?? Number.POSITIVE_INFINITY),
    calledBackShare: plan.calledBackShare,
    seed,
  }
  const note =
    (operation: 'blow' | 'outage') =>
    async <Result>(id: string, act: () => Promise<Result>): Promise<Result> => {
      tell(`${operation}: ${id}`)
      history.add({ process: 'nemesis', type: 'invoke', operation, id })
      try {
        return await act()
      } finally {
        history.add({ process: 'nemesis', type: 'ok', operation, id })
      }
    }
  const client = startPosting(posting)
  // After an error, letters are still posted.
  parts.defer(() => client.finish(AbortSignal.abort()))
  return {
    ...options,
    ground,
    fleet,
    database,
    consumer,
    client,
    receivers,
    history,
    watch,
    chance: seededChance(seed, 'blows'),
    pdfs,
    seen: [],
    blow: note('blow'),
    outage: note('outage'),
    keep: (stop) => void parts.defer(async () => void (await stop())),
    noteThaw: () => void thaws.push(Date.now()),
    pause: (ms) => pause(ms, undefined, signal ? { signal } : {}),
  }
}

const everywhere = {
  LOG_LEVEL: 'info',
  DESPATCH_CALLBACK_ALLOW: '127.0.0.0/8',
  DESPATCH_COMPOSE_THREADS: '1',
  DESPATCH_FILE_DROP_INTERVAL_MS: '0',
}

async function addConsumer(
  database: Database,
  signingKey: string,
  callbackStatuses: readonly string[],
): Promise<BenchConsumer> {
  const consumer = await makeConsumer(database.db, {
    environment: { DESPATCH_KEY_SIGNING: signingKey },
  })
  await database.pool.query('update contract set callback_statuses = $2 where consumer_id = $1', [
    consumer.consumerId,
    callbackStatuses,
  ])
  return consumer
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

async function readFacts(
  plan: RunPlan,
  { database, consumer, history, receivers, fleet }: World,
  { endedAt, thaws }: { endedAt: number; thaws: readonly number[] },
): Promise<RunFacts> {
  const read = <T>(what: () => Promise<T>) =>
    eventually(what, { deadlineMs: readDeadlineMs, message: 'the database can be read' })
  const { consumerId } = consumer
  const contracts = async () =>
    (
      await database.pool.query<{ id: string }>('select id from contract where consumer_id = $1', [
        consumerId,
      ])
    ).rows
  const factories = fleet.printing
    ? [await factoryOf(database, fleet.printing.factory.directory)]
    : []
  const contractIds = (await read(contracts)).map(({ id }) => id)
  const callbacks = await read(() => readCallbacks(database, consumerId))
  return {
    clients: {
      lines: [...history.lines],
      kept: await read(() => readKeptLetters(database, consumerId)),
      callbacks: plan.mayDie ? [] : callbacks,
      endedAt,
      goal: plan.goal,
      recoveryMsMax: plan.recoveryMsMax,
      callbackStatuses: plan.callbackStatuses ?? finalStatuses,
    },
    ...(plan.goal === 'DESPATCHED' && {
      print: await read(() => readPrintHistory(database, contractIds, factories)),
    }),
    deliveries: {
      callbacks,
      calls: receivers.flatMap(({ calls }) => calls),
      blows: history.lines.filter(({ process }) => process === 'nemesis').map(({ time }) => time),
      thaws,
    },
    changes: await read(() => readChanges(database)),
    illegalLives: await read(() => replayTimelines(database)),
  }
}

async function factoryOf({ pool }: Database, directory: string) {
  const { rows } = await pool.query<{ id: string }>('select id from provider where id like $1', [
    'provider-%',
  ])
  return { id: rows[0]!.id, directory }
}

/** Adds what receivers and factories saw, so that the history is complete. */
function noteSightings(history: ClientHistory, { deliveries, print }: RunFacts): void {
  for (const { id, origin, isAccepted, arrivedAt } of deliveries.calls) {
    history.add({
      time: arrivedAt,
      process: origin,
      type: isAccepted ? 'ok' : 'fail',
      operation: 'receive',
      id,
    })
  }
  for (const { documentId, attempt, providerId } of print?.printLog ?? []) {
    history.add({
      process: providerId,
      type: 'ok',
      operation: 'print',
      id: `${documentId} ${attempt}`,
    })
  }
}

function countRun({ fleet, watch }: World, { clients, deliveries, print }: RunFacts) {
  const blows = clients.lines.filter(
    ({ process, type }) => process === 'nemesis' && type === 'invoke',
  )
  return {
    accepted: clients.kept.length,
    despatched: clients.kept.filter(({ status }) => status === 'DESPATCHED').length,
    rejected: clients.kept.filter(({ status }) => status === 'REJECTED').length,
    deleted: clients.kept.filter(({ isDeleted }) => isDeleted).length,
    printed: print?.printLog.length ?? 0,
    callbacks: deliveries.callbacks.filter(({ state }) => state === 'DELIVERED').length,
    calls: deliveries.calls.length,
    blows: blows.length,
    restarts: fleet.members.reduce((sum, member) => sum + member.restarts(), 0),
    'parked at most': watch.parkedAtMost(),
  }
}

/** Returns how long after the last blow the last letter submitted before it reached its goal, in whole seconds. */
function recoverySeconds({ clients: { kept, goal, endedAt } }: RunFacts): number {
  const reached = kept
    .filter(({ submittedAt, isDeleted }) => submittedAt <= endedAt && !isDeleted)
    .map(
      ({ pendingAt, despatchedAt }) => (goal === 'PENDING' ? pendingAt : despatchedAt) ?? endedAt,
    )
  return Math.ceil((Math.max(endedAt, ...reached) - endedAt) / 1_000)
}
