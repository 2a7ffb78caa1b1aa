import {
  type BatchLease,
  endBatch,
  giveUpBatches,
  renewBatch,
  takeBatch,
} from '@despatch/work/batch-lease'
import { createBatchChooser } from '@despatch/work/choose-batches'
import { formBatches, hasWork } from '@despatch/work/form-batches'
import { type Kind, tablesOf } from '@despatch/work/kind'
import { wakeWaitingWork } from '@despatch/work/later'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ADatabase } from './a-database.ts'
import { eventually } from './eventually.ts'
import { withRoom } from './with-room.ts'

/** A subject as it was taken. */
export type Held = { subject: string; version: number }

/** A kind of work, and what its own code does to its subjects. */
export type KindUnderTest<Subject> = {
  database: ADatabase
  kind: Kind<Subject>
  aConsumer(): Promise<string>
  /** Adds subjects of a consumer, one after another, that wait in an ordinary lane. Returns them, oldest first. */
  add(consumerId: string, count: number): Promise<string[]>
  held(subject: Subject): Held
  /** Records that the work is done. These three return false if the subject has another version by now. */
  finish(held: Held): Promise<boolean>
  /** The work is to be done again after these seconds, or when the object store is back. */
  postpone(held: Held, seconds: number, waitsFor?: 'object-store'): Promise<boolean>
  park(held: Held): Promise<boolean>
  /** An operator lets the work on a parked subject begin again. */
  redrive(subject: string): Promise<void>
  /** Removes the subject, whatever waits for it. */
  remove(subject: string): Promise<void>
  /** How many workers died with it. */
  deathsOf(subject: string): Promise<number>
}

const leaseSeconds = 60

/** What the engine promises of every kind of work. */
export function describeWork<Subject>(
  name: string,
  { database, kind, ...own }: KindUnderTest<Subject>,
): void {
  const { db } = database
  const { waiting, later, batch, spent } = tablesOf(kind)
  const roomy = withRoom(kind, { ordinary: 1_000, slow: 1_000 })

  const form = (onBusy = () => {}) =>
    formBatches(db, roomy, { pausedQueues: [], onBusy, ...createBatchChooser(roomy) })
  const take = async (offer: BatchLease) => takeBatch(db, kind, offer, leaseSeconds)
  /** Forms batches of all that waits and is due, and takes them, as workers do. */
  async function takeAll() {
    const taken = await Promise.all((await form()).map(take))
    return taken.flatMap((one) => one ?? [])
  }
  async function takeOne() {
    const [one, ...others] = await takeAll()
    expect(others).toEqual([])
    return { lease: one!.lease, held: one!.subjects.map(own.held) }
  }
  const heldOf = (taken: Awaited<ReturnType<typeof takeAll>>) =>
    taken.flatMap(({ subjects }) => subjects.map(own.held))
  const namesOf = (held: readonly Held[]) => held.map(({ subject }) => subject).toSorted()
  const makeDue = () => sql`update ${batch} set due_at = now()`.execute(db)
  const timePasses = () => sql`update ${later} set due_at = now()`.execute(db)
  const workersDie = () =>
    sql`update ${batch} set leased_until = now() - interval '3 seconds' where leased_until is not null`.execute(
      db,
    )
  async function lanesWaiting(subject: string): Promise<string[]> {
    const { rows } = await sql<{ lane: string }>`
      select lane from ${waiting} where subject = ${subject}`.execute(db)
    return rows.map(({ lane }) => lane)
  }
  const isSlow = (lane: string) => kind.lanes[lane]!.isSlow === true

  describe(name, () => {
    let consumer: string
    beforeEach(async () => {
      await sql`truncate ${waiting}, ${later}, ${batch}, ${spent}`.execute(db)
      consumer = await own.aConsumer()
    })

    test('is taken once, by one of several workers with the same offer', async () => {
      const subjects = await own.add(consumer, 3)
      const [offer] = await form()

      const taken = await Promise.all([1, 2, 3, 4, 5].map(() => take(offer!)))

      const mine = taken.flatMap((one) => one ?? [])
      expect(mine).toHaveLength(1)
      expect(namesOf(heldOf(mine))).toEqual(subjects.toSorted())
      expect(await take(offer!)).toBeUndefined()
      expect(await take(mine[0]!.lease)).toBeUndefined()
      // however long its worker has it
      await makeDue()
      expect(await hasWork(db, kind)).toBe(false)
      expect(await form()).toEqual([])
    })

    test('is offered again when nobody takes it, and the older offer is void', async () => {
      await own.add(consumer, 1)
      const [first] = await form()
      expect(await form()).toEqual([])
      await makeDue()

      const [again] = await form()

      expect(again).toEqual({ ...first!, epoch: first!.epoch + 1 })
      expect(await take(first!)).toBeUndefined()
      expect(await take(again!)).toBeDefined()
    })

    test('that is finished has no place, and its batch ends', async () => {
      await own.add(consumer, 2)
      const { lease, held } = await takeOne()

      for (const each of held) expect(await own.finish(each)).toBe(true)
      await endBatch(db, kind, lease)

      await workersDie()
      expect(await giveUpBatches(db, kind)).toBe(0)
      expect(await takeAll()).toEqual([])
    })

    test('that is postponed comes at its time, and one that is parked does not come', async () => {
      const [postponed, parked] = await own.add(consumer, 2)
      const { lease, held } = await takeOne()
      const of = (subject: string) => held.find((each) => each.subject === subject)!

      expect(await own.postpone(of(postponed!), 600)).toBe(true)
      expect(await own.park(of(parked!))).toBe(true)
      await endBatch(db, kind, lease)

      expect(await takeAll()).toEqual([])
      await timePasses()
      expect(namesOf(heldOf(await takeAll()))).toEqual([postponed])
    })

    test('that waits for a dependency comes when it is back, up to the limit of a pass', async () => {
      await own.add(consumer, 3)
      const { held } = await takeOne()
      for (const each of held) await own.postpone(each, 600, 'object-store')

      expect(await wakeWaitingWork(db, kind, 'queue', 10)).toBe(0)
      expect(await wakeWaitingWork(db, kind, 'object-store', 2)).toBe(2)
      expect(heldOf(await takeAll())).toHaveLength(2)
      expect(await wakeWaitingWork(db, kind, 'object-store', 2)).toBe(1)
    })

    test('that waits for a dependency does not wait for the backlog of another consumer', async () => {
      await own.add(await own.aConsumer(), 6)
      const [behind] = await own.add(consumer, 1)
      const held = heldOf(await takeAll()).toSorted((one) => (one.subject === behind ? 1 : -1))
      for (const each of held) await own.postpone(each, 600, 'object-store')

      expect(await wakeWaitingWork(db, kind, 'object-store', 4)).toBe(3)

      expect(namesOf(heldOf(await takeAll()))).toContain(behind)
      await wakeWaitingWork(db, kind, 'object-store', 4)
      expect(heldOf(await takeAll())).toHaveLength(4)
    })

    test.each(['finish', 'postpone', 'park'] as const)(
      'a frozen worker that wants to %s it after another has begun changes nothing',
      async (outcome) => {
        const [subject] = await own.add(consumer, 1)
        const frozen = await takeOne()
        await workersDie()
        expect(await giveUpBatches(db, kind)).toBe(1)
        const second = await takeOne()
        expect(namesOf(second.held)).toEqual([subject])

        expect(await renewBatch(db, kind, frozen.lease, leaseSeconds)).toBe(false)
        expect(await own[outcome](frozen.held[0]!, 0)).toBe(false)
        await endBatch(db, kind, frozen.lease)

        expect(await takeAll()).toEqual([])
        expect(await own.finish(second.held[0]!)).toBe(true)
      },
    )

    test('an outcome by one of two workers wins, and the other one is refused', async () => {
      await own.add(consumer, 1)
      const { held } = await takeOne()

      const results = await Promise.all([own.finish(held[0]!), own.park(held[0]!)])

      expect(results.toSorted()).toEqual([false, true])
    })

    test('that was postponed or redriven is not run again for the batch of a dead worker', async () => {
      const [postponed, redriven, left] = await own.add(consumer, 3)
      const { held } = await takeOne()
      const of = (subject: string) => held.find((each) => each.subject === subject)!
      await own.postpone(of(postponed!), 0)
      await own.park(of(redriven!))
      await own.redrive(redriven!)
      // the worker dies here
      await workersDie()

      expect(await giveUpBatches(db, kind)).toBe(1)

      await timePasses()
      const taken = heldOf(await takeAll())
      expect(namesOf(taken)).toEqual([postponed, redriven, left].toSorted())
      for (const each of taken) expect(await own.finish(each)).toBe(true)
      expect(await takeAll()).toEqual([])
    })

    test('a place that was overtaken is void, although the subject has work', async () => {
      const [subject] = await own.add(consumer, 1)
      const [stale] = await form()
      // somebody else has run it meanwhile, and it has another place
      await sql`insert into ${waiting} (lane, consumer_id, subject, version)
        select lane, consumer_ids[1], subjects[1], versions[1] from ${batch}`.execute(db)
      const second = await takeOne()
      await own.postpone(second.held[0]!, 0)

      const taken = await take(stale!)

      expect(taken!.subjects).toEqual([])
      expect(namesOf(heldOf(await takeAll()))).toEqual([subject])
    })

    test('whose worker died waits alone in a slow lane, once, and its death is counted', async () => {
      const [a, b] = await own.add(consumer, 2)
      await takeOne()
      expect(await giveUpBatches(db, kind)).toBe(0)
      await workersDie()

      const counts = await Promise.all([1, 2, 3].map(() => giveUpBatches(db, kind)))

      expect(counts.toSorted()).toEqual([0, 0, 2])
      for (const subject of [a!, b!]) {
        expect((await lanesWaiting(subject)).map(isSlow)).toEqual([true])
        expect(await own.deathsOf(subject)).toBe(1)
      }
      const taken = await takeAll()
      expect(taken.map(({ subjects }) => subjects.length)).toEqual([1, 1])
    })

    test('is not given up before its last commit could end, nor while it is only offered', async () => {
      await own.add(consumer, 1)
      const [offer] = await form()
      await sql`update ${batch} set due_at = now() - interval '1 day'`.execute(db)
      expect(await giveUpBatches(db, kind)).toBe(0)

      await take(offer!)
      await sql`update ${batch} set leased_until = now() - interval '1 second'`.execute(db)

      expect(await giveUpBatches(db, kind)).toBe(0)
    })

    test('is leased by its worker only, and only once it is taken', async () => {
      await own.add(consumer, 1)
      const [offer] = await form()
      expect(await renewBatch(db, kind, offer!, leaseSeconds)).toBe(false)
      await endBatch(db, kind, offer!)
      const taken = await take(offer!)
      const { lease } = taken!

      const before = { ...lease, epoch: lease.epoch - 1 }
      expect(await renewBatch(db, kind, before, leaseSeconds)).toBe(false)
      await endBatch(db, kind, before)

      expect(await renewBatch(db, kind, lease, leaseSeconds)).toBe(true)
    })

    test('that is removed while it waits, is offered or is in hand leaves nothing to do', async () => {
      const [waits] = await own.add(consumer, 1)
      await own.remove(waits!)
      expect(heldOf(await takeAll())).toEqual([])

      const [offered] = await own.add(consumer, 1)
      const [offer] = await form()
      await own.remove(offered!)
      expect((await take(offer!))!.subjects).toEqual([])

      const [inHand] = await own.add(consumer, 1)
      const { held } = await takeOne()
      await own.remove(inHand!)
      expect(await own.finish(held[0]!)).toBe(false)
      await workersDie()
      expect(await giveUpBatches(db, kind)).toBe(0)
      expect(await takeAll()).toEqual([])
    })

    test('of a consumer with few subjects comes before the backlog of another', async () => {
      const busy = await own.aConsumer()
      await own.add(busy, 80)
      const chooser = createBatchChooser(kind)
      const pass = () => formBatches(db, kind, { pausedQueues: [], ...chooser })
      await pass()
      const [newcomer] = await own.add(consumer, 1)
      await sql`delete from ${batch}`.execute(db)

      const [first] = await pass()

      expect(first).toMatchObject({ consumerId: consumer, isFirst: true })
      expect(namesOf(heldOf([(await take(first!))!]))).toEqual([newcomer])
    })

    test('is formed by one process at a time, and the other one does not wait for it', async () => {
      await own.add(consumer, 5)
      const held = await database.pool.connect()
      const tableOfBatches = `${kind.name}_batch`
      await held.query('begin')
      await held.query(`lock table ${tableOfBatches} in access exclusive mode`)
      const first = form()
      await eventually(
        async () => {
          const { rows } = await database.pool.query<{ waits: boolean }>(
            `select exists (
               select from pg_locks join pg_database on pg_database.oid = database
               where datname = current_database() and relation = $1::regclass and not granted) as waits`,
            [tableOfBatches],
          )
          return rows[0]!.waits
        },
        { message: 'the first scheduler is forming batches' },
      )

      let sawBusy = 0
      const other = await form(() => {
        sawBusy += 1
      })
      await held.query('commit')
      held.release()

      expect([other, sawBusy]).toEqual([[], 1])
      expect((await first).map(({ size }) => size)).toEqual([5])
    })
  })
}
