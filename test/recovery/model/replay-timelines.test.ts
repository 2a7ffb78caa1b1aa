import type { NextStep } from '@despatch/domain/callback/retry'
import { insertProvider } from '@despatch/store/access/consumers'
import type { TakenCallback } from '@despatch/store/callback/lease'
import { recordCallbacks } from '@despatch/store/callback/record'
import { saveReplay } from '@despatch/store/callback/replay'
import { openDatabase } from '@despatch/store/database'
import { reassignDocuments } from '@despatch/store/print-run/reassign'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { aRecord, takeOnce } from '@despatch/testing/take-callbacks'
import { expect, test } from 'vitest'
import { replayTimelines } from '../../model/replay-timelines.ts'
import { type Action, perform, someLetters } from './print-job-writers.ts'

const testDatabase = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(testDatabase.url))
const callbacks = await shared(
  openDatabase(testDatabase.url, { name: 'callbacks', connectionsMax: 2, pipeline: true }),
)
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
await insertProvider(runs.db, { id: 'south', name: 'South', printLocations: ['SOUTH'] })
await runs.pool.query(`update print_site set share = 0 where provider_id = 'south'`)
const ways = {
  accept: [{ name: 'release', worker: 0 }, { name: 'accept', worker: 0 }, { name: 'gather' }],
  despatched: [{ name: 'claim' }, { name: 'acknowledge' }, { name: 'despatch' }],
  failed: [{ name: 'claim' }, { name: 'acknowledge' }, { name: 'fail' }],
  held: [{ name: 'hold', who: 'operator' }, { name: 'override' }],
  released: [
    { name: 'hold', who: 'consumer' },
    { name: 'release-hold', who: 'operator' },
    { name: 'gather' },
  ],
  deleted: [{ name: 'delete', who: 'consumer' }],
  claimed: [{ name: 'claim' }],
} as const

const lives = [
  'despatched',
  'despatched',
  'despatched',
  'despatched',
  'failed',
  'held',
  'released',
  'deleted',
  'claimed',
] as const
const letters = await someLetters(runs, lives.length, ['DESPATCHED', 'REJECTED'])
const keyOf = (letter: number) => letters.letters[letter]!.key
await perform(letters, { name: 'form' })
for (const letter of lives.keys()) {
  await perform(letters, { name: 'take', letter, worker: 0, task: 'newest' })
}
for (const letter of lives.keys()) await act(letter, 'accept')
for (const letter of lives.keys()) await act(letter, lives[letter]!)
await sendCallbacks()

async function act(letter: number, way: keyof typeof ways): Promise<void> {
  for (const each of ways[way]) {
    expect(await perform(letters, { letter, ...each } as Action)).toBe('done')
  }
}

/**
 * Delivers the callback of the despatch, replays it and delivers it again. The callback of the failed letter is
 * refused.
 */
async function sendCallbacks(): Promise<void> {
  const record = (call: TakenCallback, next: NextStep) =>
    recordCallbacks(callbacks.pool, [aRecord(call, next)])
  for (const call of (await takeOnce(callbacks.pool)).callbacks) {
    const isRefused = call.printJobKey === keyOf(lives.indexOf('failed'))
    await record(call, isRefused ? { kind: 'abandon', reason: 'refused' } : { kind: 'delivered' })
    if (!isRefused) await runs.db.transaction().execute((tx) => saveReplay(tx, {}, call.id))
  }
  for (const call of (await takeOnce(callbacks.pool)).callbacks) {
    await record(call, { kind: 'delivered' })
  }
}

test('many kinds of timelines have only steps that the model allows', async () => {
  const { rows } = await runs.pool.query<{ batchNumber: string }>(
    `select batch_number as "batchNumber" from print_job where key = $1`,
    [keyOf(lives.indexOf('claimed'))],
  )
  const move = {
    batchNumber: rows[0]!.batchNumber,
    providerId: 'south',
    printLocation: 'SOUTH',
    reason: 'test',
    nothingPrinted: true,
    actor: 'operator',
  }
  const moved = await runs.db.transaction().execute((tx) => reassignDocuments(tx, move))

  expect(moved.kind).toBe('moved')
  expect(await replayTimelines(runs)).toEqual([])
})

type Damage = [fault: string, statement: string]

/** The damage to each letter, in the order of `lives`. */
const damages: Damage[] = [
  ['print job: gap', `delete from print_job_event where print_job_key = $1 and sequence = 2`],
  [
    'print run: ends otherwise',
    `update print_run_document set outcome = null where print_job_key = $1`,
  ],
  [
    'callback: an attempt after the last',
    `update callback set attempts_before = 0 where print_job_key = $1`,
  ],
  [
    'callback: ends otherwise',
    `update callback set state = 'DEAD', end_reason = 'refused' where print_job_key = $1`,
  ],
  [
    'print job: owes otherwise',
    `with attempt as (
       delete from callback_attempt
       where callback_id in (select id from callback where print_job_key = $1))
     delete from callback where print_job_key = $1`,
  ],
  [
    'print job: fetch',
    `update print_job_event set transition = 'fetch' where print_job_key = $1 and transition = 'hold'`,
  ],
  [
    'print run: a letter stands otherwise',
    `update print_job set status = 'REJECTED' where key = $1`,
  ],
  ['print job: deleted otherwise', `update print_job set deleted_at = null where key = $1`],
]

test('steps that the model does not allow are found', async () => {
  const client = await runs.pool.connect()
  try {
    // between statements, a busy machine takes long to replay
    await client.query('begin; set local idle_in_transaction_session_timeout = 0')
    for (const [letter, [, statement]] of damages.entries()) {
      await client.query(statement, [keyOf(letter)])
    }
    const found = await replayTimelines({ pool: client })

    expect(found.map(({ of, fault }) => `${of}: ${fault}`)).toEqual(
      expect.arrayContaining(damages.map(([fault]) => fault)),
    )
  } finally {
    await client.query('rollback')
    client.release()
  }
})
