import { setTimeout as pause } from 'node:timers/promises'
import type { CallbackTarget, CalledPrintJob } from '../../stack/callbacks/add-callbacks.ts'
import {
  type RecordingReceiver,
  startRecordingReceiver,
} from '../../stack/callbacks/recording-receiver.ts'
import { type Delivery, startDelivery } from '../../stack/callbacks/start-delivery.ts'
import type { ServiceProcess } from '../../stack/start-service.ts'
import { checkDeliveries } from '../checks/check-deliveries.ts'
import type { Finding } from '../checks/finding.ts'
import { type Deliveries, readCallbacks } from '../facts/deliveries.ts'
import { startNemesis, type Victim } from '../nemesis.ts'
import { type Chance, seededChance } from '../seeded-chance.ts'
import { answerBadly, endSessions, flap } from './troubles.ts'

export type DeliverOptions = {
  /** The address of the database. */
  databaseUrl: string
  callbacks: number
  deliverers: number
  receivers: number
  /** The retry windows to draw from, in seconds. */
  windowsSeconds: readonly number[]
  seed: number
  /** How long callbacks continue to be owed, in milliseconds. */
  addForMs: number
  /** The killing ends after this many kills. */
  killsMax?: number
  /** All troubles end after this time, in milliseconds. Absent: when the work is over. */
  troubleMsMax?: number
  /** The longest time a consumer takes to answer, in milliseconds. */
  answerMsMax: number
  gapMsMax: number
  /**
   * Adds further troubles: consumers go away, sessions of PostgreSQL end. Some callbacks are not retried, and some go one
   * at a time.
   */
  isWorse: boolean
  /** After this time the result is judged as it is, in milliseconds. */
  deadlineMs: number
  signal?: AbortSignal
  tell(line: string): void
}

export type DeliverReport = {
  findings: Finding[]
  counts: {
    delivered: number
    dead: number
    calls: number
    takenTwice: number
    interrupted: number
    kills: number
  }
}

const callbacksPerPrintJob = 3.5
const addEveryMs = 250
const progressMs = 5_000
const lookEveryMs = 50
const idleMsMax = 1_000
const strictShare = 0.01
const unretriedShare = 0.05

/**
 * Delivers callbacks of many print jobs, several of each, while the deliverers are killed at random and the consumers
 * fail. Follows each callback from when it is owed until it is delivered or dead. Returns the rules that the deliveries
 * break. A callback that is still under way at the deadline breaks a rule too.
 */
export async function deliverUnderFire(options: DeliverOptions): Promise<DeliverReport> {
  const { databaseUrl, seed, deadlineMs, tell } = options
  const deadline = performance.now() + deadlineMs
  await using parts = new AsyncDisposableStack()
  const delivery = parts.use(await startDelivery(databaseUrl))
  const receivers = await Promise.all(
    Array.from({ length: options.receivers }, async (_, index) => {
      const answer = answerBadly(seededChance(seed, `answers ${index}`), options.answerMsMax)
      return parts.use(await startRecordingReceiver({ answer }))
    }),
  )
  const blows: number[] = []
  const strike = () => void blows.push(Date.now())
  const killing = await startKilling(options, delivery, { receivers, strike })
  parts.defer(killing.giveUp)
  const troubles = options.isWorse ? startTroubles(options, { delivery, receivers, strike }) : quiet
  const work = owe(options, { delivery, receivers, killing }).then(() =>
    untilAllIsOver(options, delivery, deadline),
  )
  await Promise.race([work, troubles.raging, killing.raging, troubleEnds(options)])
  tell('the trouble ends')
  const [kills] = await Promise.all([killing.stop(), troubles.stop()])
  await work
  await killing.close()
  const callbacks = await readCallbacks(delivery.database, delivery.consumer.consumerId)
  const calls = receivers.flatMap((receiver) => receiver.calls)
  const deliveries = { callbacks, calls, blows, thaws: [] }
  return { findings: checkDeliveries(deliveries), counts: count(deliveries, kills) }
}

type Killing = Awaited<ReturnType<typeof startKilling>>

/** Starts deliverers, kills them at random and restarts them. `raging` settles after `killsMax` kills. */
async function startKilling(
  { deliverers, seed, gapMsMax, killsMax, tell }: DeliverOptions,
  delivery: Delivery,
  given: { receivers: readonly RecordingReceiver[]; strike(): void },
) {
  const enough = Promise.withResolvers<void>()
  let kills = 0
  let isOver = false
  const onKill = () => {
    given.strike()
    kills += 1
    if (kills === killsMax) enough.resolve()
  }
  const victims = Array.from({ length: deliverers }, (_, index) =>
    aDeliverer(`deliverer ${index + 1}`, delivery, { ...given, onKill }),
  )
  await Promise.all(victims.map(({ restore }) => restore()))
  const nemesis = startNemesis({ victims, chance: seededChance(seed, 'blows'), gapMsMax, tell })
  return {
    raging: Promise.race([nemesis.raging, enough.promise]),
    /** Waits until at least `count` kills were made, or until `giveUp` is called. */
    reached: async (count: number) => {
      while (!isOver && kills < count) await pause(lookEveryMs)
    },
    stop: () => nemesis.stop(),
    giveUp: () => {
      isOver = true
    },
    close: () => Promise.all(victims.map(({ lose }) => lose())),
  }
}

function aDeliverer(
  name: string,
  delivery: Delivery,
  given: { receivers: readonly RecordingReceiver[]; onKill(): void },
): Victim {
  let running: ServiceProcess | undefined
  return {
    name,
    lose: async () => {
      await untilCalled(given.receivers)
      given.onKill()
      await running?.kill('SIGKILL')
    },
    restore: async () => {
      running = await delivery.startDeliverer()
    },
  }
}

/** A kill while no call is under way proves nothing. So it waits a little for a call that is under way. */
async function untilCalled(receivers: readonly RecordingReceiver[]): Promise<void> {
  const deadline = performance.now() + idleMsMax
  while (performance.now() < deadline) {
    if (receivers.some(({ callsUnderWay }) => callsUnderWay() > 0)) return
    await pause(2)
  }
}

async function troubleEnds({ troubleMsMax, signal }: DeliverOptions): Promise<void> {
  if (troubleMsMax === undefined) return new Promise(() => {})
  await pause(troubleMsMax, undefined, { ref: false, ...(signal && { signal }) })
}

const quiet = { raging: new Promise<never>(() => {}), stop: async () => {} }

function startTroubles(
  { seed, tell }: DeliverOptions,
  given: { delivery: Delivery; receivers: readonly RecordingReceiver[]; strike(): void },
) {
  const { delivery, receivers, strike } = given
  const stopping = new AbortController()
  const trouble = (name: string) => ({
    chance: seededChance(seed, name),
    signal: stopping.signal,
    tell,
  })
  const all = Promise.all([
    ...receivers.map((receiver, index) => flap(receiver, trouble(`flaps ${index}`))),
    endSessions(delivery.database, { ...trouble('sessions'), strike }),
  ])
  // `raging` and `stop` report the error.
  all.catch(() => {})
  return {
    raging: all.then(() => {}),
    stop: async () => {
      stopping.abort()
      await all
    },
  }
}

async function owe(
  { callbacks, seed, addForMs, windowsSeconds, killsMax = 0, isWorse, signal }: DeliverOptions,
  given: { delivery: Delivery; receivers: readonly RecordingReceiver[]; killing: Killing },
): Promise<void> {
  const { delivery, receivers, killing } = given
  const chance = seededChance(seed, 'owed')
  const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)]!
  const aPlace = (): CallbackTarget => {
    const isRetried = !isWorse || chance() >= unretriedShare
    const retryParams = { enabled: true, maxRetryWindow: pick(windowsSeconds) }
    return {
      target: `${pick(receivers).origin}/callbacks`,
      retryParams: isRetried ? retryParams : undefined,
    }
  }
  const places = (count: number) => Array.from({ length: Math.ceil(count) }, aPlace)
  const printJobs = await delivery.addPrintJobs(places(callbacks / callbacksPerPrintJob))
  const strict = isWorse ? await delivery.addStrictPrintJobs(places(1)) : []
  const rounds = Math.max(1, Math.ceil(addForMs / addEveryMs))
  for (let owed = 0, round = 1; round <= rounds; round += 1) {
    // Wait for this round's share of the kills, so that callbacks are still owed at the last kill on a slow machine.
    await killing.reached(Math.floor((killsMax * round) / rounds))
    const until = Math.round((callbacks * round) / rounds)
    await delivery.owe(Array.from({ length: until - owed }, () => anyOf(chance, printJobs, strict)))
    owed = until
    await pause(addEveryMs, undefined, signal ? { signal } : {})
  }
}

function anyOf(
  chance: Chance,
  printJobs: readonly CalledPrintJob[],
  strict: readonly CalledPrintJob[],
): CalledPrintJob {
  const from = strict.length > 0 && chance() < strictShare ? strict : printJobs
  return from[Math.floor(chance() * from.length)]!
}

async function untilAllIsOver(
  { signal, tell }: DeliverOptions,
  delivery: Delivery,
  deadline: number,
): Promise<void> {
  let reportedAt = 0
  for (;;) {
    const left = await delivery.countLeft()
    if (left === 0) return
    if (performance.now() >= deadline) {
      tell(`out of time with ${left} callbacks under way`)
      return
    }
    if (performance.now() - reportedAt >= progressMs) {
      reportedAt = performance.now()
      tell(`under way: ${left} callbacks`)
    }
    await pause(250, undefined, signal ? { signal } : {})
  }
}

function count({ callbacks, calls }: Deliveries, kills: number): DeliverReport['counts'] {
  const inState = (wanted: string) => callbacks.filter(({ state }) => state === wanted).length
  const accepted = calls.filter(({ isAccepted }) => isAccepted)
  const attempts = callbacks.flatMap((callback) => callback.attempts)
  return {
    delivered: inState('DELIVERED'),
    dead: inState('DEAD'),
    calls: calls.length,
    takenTwice: accepted.length - new Set(accepted.map(({ id }) => id)).size,
    interrupted: attempts.filter(({ outcome }) => outcome === 'interrupted').length,
    kills,
  }
}
