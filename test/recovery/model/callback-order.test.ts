import type { NextStep } from '@despatch/domain/callback/retry'
import { callbackKind } from '@despatch/store/callback/callback-kind'
import type { TakenCallback } from '@despatch/store/callback/lease'
import { recordCallbacks } from '@despatch/store/callback/record'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aDatabase } from '@despatch/testing/a-database'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { aRecord, someLimits, takeOnce } from '@despatch/testing/take-callbacks'
import { giveUpBatches } from '@despatch/work/batch-lease'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replayTimelines } from '../../model/replay-timelines.ts'
import { aDocument } from './print-job-writers.ts'
import { propertyRuns } from './property-runs.ts'

const database = await shared(aDatabase({ pipeline: true }))
const consumer = await insertConsumer(database.db)

const jobCount = 3
const callsPerOriginMax = 2
const origins = ['https://one.example', 'https://two.example', 'https://two.example'] as const
const moves = ['release', 'accept', 'reject'] as const
const told = ['VALIDATING', 'PENDING', 'REJECTED'] as const

const ends = ['delivered', 'refused', 'gone', 'retry', 'retry-later'] as const
type End = (typeof ends)[number]
type Action =
  | { name: 'owe'; job: number }
  | { name: 'take'; worker: number }
  | { name: 'record'; worker: number; end: End }
  | { name: 'crash'; worker: number }

const worker = fc.nat(1)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: fc.constant('owe'), job: fc.nat(jobCount - 1) }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constant('take'), worker }) },
  {
    weight: 6,
    arbitrary: fc.record({ name: fc.constant('record'), worker, end: fc.constantFrom(...ends) }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('crash'), worker }) },
)

/** A callback in memory. `holder` is the call under way. Its process may have crashed. */
type Owed = {
  job: number
  sequence: number
  state: 'DUE' | 'DELIVERED' | 'DEAD'
  isDue: boolean
  attempts: number
  holder: TakenCallback | null
  isLost: boolean
}

/** The model: it makes the same calls to the database, and knows the result that must follow. */
class OwedCallbacks {
  readonly #keys: readonly string[]
  readonly #owed: Owed[] = []
  readonly #calls: TakenCallback[][] = [[], []]
  readonly #gone = new Set<number>()

  constructor(keys: readonly string[]) {
    this.#keys = keys
  }

  async perform(given: Action): Promise<void> {
    switch (given.name) {
      case 'owe':
        return this.#owe(given.job)
      case 'take':
        return this.#take(given.worker)
      case 'record':
        return this.#record(given.worker, given.end)
      case 'crash':
        return this.#crash(given.worker)
    }
  }

  async #owe(job: number): Promise<void> {
    const sequence = this.#owed.filter((each) => each.job === job).length + 1
    const move = moves[sequence - 1]
    if (!move) return
    const key = this.#keys[job]!
    const moved = await database.db
      .transaction()
      .execute((tx) => movePrintJobs(tx, [{ key, made: aDocument() }], move, { actor: 'test' }))
    expect(moved).toEqual([key])
    const isGone = this.#gone.has(job)
    this.#owed.push({
      job,
      sequence,
      state: isGone ? 'DEAD' : 'DUE',
      isDue: !isGone,
      attempts: 0,
      holder: null,
      isLost: false,
    })
  }

  async #take(process: number): Promise<void> {
    await giveUpBatches(database.db, callbackKind)
    for (const each of this.#owed.filter(({ isLost }) => isLost)) {
      Object.assign(each, { isLost: false, holder: null, attempts: each.attempts + 1 })
    }
    const heads = this.#heads()
    const room = new Map(
      origins.map((origin) => [origin, callsPerOriginMax - this.#underWay(origin)]),
    )
    const taken = await take()
    this.#calls[process]!.push(...taken)
    const chosen = taken.map((call) => ({ call, owed: this.#find(call) }))
    for (const { call, owed } of chosen) owed.holder = call

    expect(chosen.filter(({ owed }) => !heads.includes(owed))).toEqual([])
    for (const [origin, left] of room) {
      const ready = heads.filter(({ job }) => origins[job] === origin).length
      const count = taken.filter((call) => call.origin === origin).length
      expect(count).toBe(Math.min(left, ready))
    }
  }

  /** Returns the first due callback of each print job that has no call under way. */
  #heads(): Owed[] {
    return this.#keys.flatMap((_, job) => {
      const own = this.#owed.filter((each) => each.job === job && each.state === 'DUE')
      const head = own.find(({ isDue }) => isDue)
      return head && own.every(({ holder }) => !holder) ? [head] : []
    })
  }

  #underWay(origin: string): number {
    return this.#owed.filter(
      ({ job, holder, state }) => holder && state === 'DUE' && origins[job] === origin,
    ).length
  }

  #find({ printJobKey, sequence }: TakenCallback): Owed {
    const job = this.#keys.indexOf(printJobKey!)
    return this.#owed.find((each) => each.job === job && each.sequence === sequence)!
  }

  async #record(process: number, end: End): Promise<void> {
    const call = this.#calls[process]!.shift()
    if (!call) return
    const owed = this.#find(call)
    const isHeld = owed.state === 'DUE' && owed.holder === call
    expect(await record(call, end)).toEqual(isHeld ? [call.id] : [])
    if (!isHeld) return
    Object.assign(owed, { holder: null, isLost: false, attempts: owed.attempts + 1 })
    if (end === 'retry') return
    if (end === 'retry-later') {
      owed.isDue = false
      return
    }
    owed.state = end === 'delivered' ? 'DELIVERED' : 'DEAD'
    if (end === 'gone') this.#leave(owed.job)
  }

  #leave(job: number): void {
    this.#gone.add(job)
    for (const each of this.#owed.filter((other) => other.job === job && other.state === 'DUE')) {
      Object.assign(each, { state: 'DEAD', holder: null, isLost: false })
    }
  }

  /** Ends the leases of this process. It may still record a call until another process has taken the call over. */
  async #crash(process: number): Promise<void> {
    const held = this.#calls[process]!.map((call) => this.#find(call)).filter(
      ({ holder, state }) => state === 'DUE' && holder && this.#calls[process]!.includes(holder),
    )
    for (const each of held) each.isLost = true
    // A batch that is given up has calls of this process only. Those that have ended stay as they are.
    await database.pool.query(
      `update callback_batch set leased_until = now() - interval '1 minute' where id = any ($1::uuid[])`,
      [held.map(({ holder }) => holder!.batch)],
    )
  }

  /** Delivers everything: remaining calls are lost, and all waiting callbacks become due. */
  async drain(): Promise<void> {
    await this.#crash(0)
    await this.#crash(1)
    await database.pool.query(`update callback set due_at = now() where state = 'DUE'`)
    for (const each of this.#owed) each.isDue = true
    while (this.#owed.some(({ state }) => state === 'DUE')) {
      await this.#take(0)
      while (this.#calls[0]!.length > 0) await this.#record(0, 'delivered')
    }
  }

  rows() {
    return this.#owed
      .map(({ job, sequence, state, attempts }) => ({ job, sequence, state, attempts }))
      .toSorted((one, other) => one.job - other.job || one.sequence - other.sequence)
  }

  async storedRows() {
    const { rows } = await database.pool.query(
      `select array_position($1::uuid[], print_job_key) - 1 as job, sequence, state, attempts
       from callback where print_job_key = any ($1::uuid[]) order by 1, 2`,
      [this.#keys],
    )
    return rows
  }
}

/** Sets aside what a failed case left, so that it uses up no capacity of the next. */
async function restOthers(): Promise<void> {
  await database.pool.query(
    `with gone as (delete from callback_batch)
     update callback set due_at = now() + interval '1 day' where state = 'DUE'`,
  )
}

async function take(): Promise<TakenCallback[]> {
  // breakers are tested elsewhere
  await database.pool.query('delete from callback_origin')
  const limits = { ...someLimits, callsPerOriginMax, lastCallsFactor: 16 }
  return (await takeOnce(database.pool, { leaseSeconds: 3_600, limits })).callbacks
}

function record(call: TakenCallback, end: End): Promise<string[]> {
  const steps: Record<End, NextStep> = {
    delivered: { kind: 'delivered' },
    refused: { kind: 'abandon', reason: 'refused' },
    gone: { kind: 'abandon', reason: 'gone' },
    retry: { kind: 'retry', at: new Date(Date.now() - 60_000) },
    'retry-later': { kind: 'retry', at: new Date(Date.now() + 3_600_000) },
  }
  return recordCallbacks(database.pool, [aRecord(call, steps[end])])
}

test('in any sequence of steps a print job has one call at a time, in order, within the limit of its origin', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 10, maxLength: 40, size: '+1' }),
      async (actions) => {
        await restOthers()
        const letters = origins.map((callbackOrigin) =>
          aSubmission(consumer, {
            callbackParams: {},
            callbackOrigin,
            callbackStatuses: [...told],
          }),
        )
        await saveSubmissions(database.pool, letters)
        const owed = new OwedCallbacks(letters.map(({ key }) => key))

        for (const each of actions) await owed.perform(each)

        expect(await owed.storedRows()).toEqual(owed.rows())
        await owed.drain()
        expect(await owed.storedRows()).toEqual(owed.rows())
      },
    ),
    propertyRuns(12),
  )
  expect(await replayTimelines(database)).toEqual([])
})
