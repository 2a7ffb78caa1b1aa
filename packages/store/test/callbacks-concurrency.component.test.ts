import { setTimeout as sleep } from 'node:timers/promises'
import { aDatabase } from '@despatch/testing/a-database'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { aRecord, someLimits } from '@despatch/testing/take-callbacks'
import { expect, test } from 'vitest'
import type { TakenCallback } from '../src/callback/lease.ts'
import { recordCallbacks } from '../src/callback/record.ts'
import { takeCallbacks } from '../src/callback/take.ts'
import { openDatabase } from '../src/database.ts'

const { db, url } = await shared(aDatabase({ pipeline: true }))
const processes = await Promise.all(
  [1, 2, 3].map((number) =>
    shared(openDatabase(url, { name: `process-${number}`, connectionsMax: 3, pipeline: true })),
  ),
)
const printJobs = 40
const perPrintJob = 4
const inStrictLane = 12

const seed = await seeder(db)
for (let job = 0; job < printJobs; job++) {
  const print_job_key = await seed.printJob()
  const origin = `https://${job % 5}.example`
  for (let sequence = perPrintJob; sequence > 0; sequence--) {
    await seed.callback({ print_job_key, sequence, origin })
  }
}
const strict = { strict_contract_id: seed.contractId, state: 'WAITING', due_at: null } as const
for (let index = 0; index < inStrictLane; index++) {
  await seed.callback({ print_job_key: await seed.printJob(), ...strict })
}

test('three processes at once take each callback once, strict order one by one, and no origin over its limit', async () => {
  const limits = { ...someLimits, callsPerOriginMax: 3 }
  const strict = await db
    .selectFrom('callback')
    .select('id')
    .where('strict_contract_id', 'is not', null)
    .orderBy('position')
    .execute()
  const strictIds = new Set(strict.map(({ id }) => id))
  const orderOf = ({ id, printJobKey }: TakenCallback) =>
    strictIds.has(id) ? 'strict' : printJobKey!
  const underWay = new Map<string, TakenCallback>()
  const delivered: TakenCallback[] = []
  const faults: string[] = []

  function begin(taken: TakenCallback) {
    for (const other of underWay.values()) {
      if (orderOf(other) === orderOf(taken)) faults.push(`two of ${orderOf(taken)}`)
    }
    underWay.set(taken.id, taken)
    const there = [...underWay.values()].filter(({ origin }) => origin === taken.origin)
    if (there.length > limits.callsPerOriginMax) faults.push(`${there.length} at ${taken.origin}`)
  }

  async function call(pool: (typeof processes)[number]['pool'], taken: TakenCallback) {
    await sleep(Math.random() * 4)
    // Another process may take the recorded callback before this one gets the reply.
    underWay.delete(taken.id)
    delivered.push(taken)
    await recordCallbacks(pool, [aRecord(taken, { kind: 'delivered' })])
  }

  const total = printJobs * perPrintJob + inStrictLane
  const deadline = Date.now() + 60_000
  async function run({ pool }: (typeof processes)[number]) {
    const calls: Promise<void>[] = []
    while (delivered.length < total && Date.now() < deadline) {
      const take = await takeCallbacks(pool, { free: 6, leaseSeconds: 120, limits })
      const callbacks = take.kind === 'taken' ? take.callbacks : []
      for (const taken of callbacks) {
        begin(taken)
        calls.push(call(pool, taken))
      }
      await sleep(1)
    }
    await Promise.all(calls)
  }
  await Promise.all(processes.map(run))

  expect(faults).toEqual([])
  expect(new Set(delivered.map(({ id }) => id)).size).toBe(total)
  expect(delivered).toHaveLength(total)
  const sequences = Map.groupBy(
    delivered.filter(({ id }) => !strictIds.has(id)),
    ({ printJobKey }) => printJobKey,
  )
  expect(
    new Set([...sequences.values()].map((of) => of.map(({ sequence }) => sequence).join())),
  ).toEqual(new Set(['1,2,3,4']))
  expect(delivered.map(({ id }) => id).filter((id) => strictIds.has(id))).toEqual([...strictIds])
})
