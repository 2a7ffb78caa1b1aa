import { insertProvider } from '@despatch/store/access/consumers'
import { countViolations } from '@despatch/store/overview/invariants'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { findWrongCounts } from '@despatch/testing/kept-counts'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replayTimelines } from '../../model/replay-timelines.ts'
import { LetterModel, type ModelLetter } from './letter-model.ts'
import {
  type Action,
  type Letters,
  passes,
  perform,
  someLetters,
  stepWrites,
} from './print-job-writers.ts'
import { propertyRuns } from './property-runs.ts'

const testDatabase = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(testDatabase.url))
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const letterCount = 2
const letter = fc.nat(letterCount - 1)
const worker = fc.nat(1)
const who = fc.constantFrom('consumer', 'operator')
const task = fc.constantFrom('newest', 'oldest')

/** Weighted so that many letters reach production. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ name: fc.constant('take'), letter, worker, task }) },
  {
    weight: 6,
    arbitrary: fc.record({
      name: fc.constantFrom('release', 'accept', 'release-and-accept'),
      letter,
      worker,
    }),
  },
  { weight: 3, arbitrary: fc.record({ name: fc.constantFrom(...stepWrites), letter, worker }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constantFrom('renew', 'end'), letter, worker }) },
  {
    weight: 4,
    arbitrary: fc.record({
      name: fc.constantFrom('hold', 'release-hold', 'release-hold', 'delete'),
      letter,
      who,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      name: fc.constantFrom('lose-lease', 'redrive', 'redrive', 'override'),
      letter,
    }),
  },
  { weight: 4, arbitrary: fc.record({ name: fc.constantFrom('form', 'gather', 'give-up') }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constantFrom(...passes) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      name: fc.constantFrom('claim', 'acknowledge', 'fail', 'despatch'),
      letter,
    }),
  },
)

const offeredAgain: Action[] = [{ name: 'form' }, { name: 'offer-again' }]
const leased: Action[] = [{ name: 'form' }, { name: 'take', letter: 0, worker: 0, task: 'newest' }]
const overdue: Action[] = [...leased, { name: 'lose-lease', letter: 0 }]
const parked: Action[] = [
  ...leased,
  { name: 'release', letter: 0, worker: 0 },
  { name: 'park', letter: 0, worker: 0 },
  { name: 'park', letter: 1, worker: 0 },
]
/** One letter in two writes, and the other in one. */
const pending: Action[] = [
  ...leased,
  { name: 'release', letter: 0, worker: 0 },
  { name: 'accept', letter: 0, worker: 0 },
  { name: 'release-and-accept', letter: 1, worker: 0 },
]
/** What has been done to the letters before. */
const start = fc.constantFrom([], offeredAgain, leased, overdue, parked, pending, pending)

class Command implements fc.AsyncCommand<LetterModel, Letters> {
  readonly action: Action

  constructor(given: Action) {
    this.action = given
  }

  check = () => true

  async run(model: LetterModel, real: Letters): Promise<void> {
    expect(await perform(real, this.action)).toBe(model.perform(this.action))
  }

  toString(): string {
    return JSON.stringify(this.action)
  }
}

async function readLetters({ runs: { pool }, letters }: Letters): Promise<ModelLetter[]> {
  const { rows } = await pool.query<ModelLetter & { key: string }>(
    `select key, status, held_by as "heldBy", parked_at is not null as "isParked", deleted_at is not null as "isDeleted",
       exists (select from print_run_document where print_job_key = key and removed_at is null) as "isInRun",
       array(select 'leased' from letter_batch, unnest(subjects, versions) as taken (letter, epoch)
           where leased_until is not null and taken.letter = key and taken.epoch = step_epoch and status in ('QUARANTINE', 'VALIDATING')
             and parked_at is null
         union all select 'waiting' from letter_waiting where subject = key
         union all select 'later' from letter_later where subject = key
         union all select 'batch' from letter_batch where leased_until is null and key = any (subjects)) as places,
       array(select transition from print_job_event where print_job_key = key order by sequence) as timeline,
       array(select callback.status from callback where print_job_key = key order by sequence) as owed
     from print_job where key = any ($1::uuid[])`,
    [letters.map(({ key }) => key)],
  )
  return letters.map(({ key }) => {
    const { key: _, ...found } = rows.find((row) => row.key === key)!
    return found
  })
}

/** A letter that is checked and not parked is in one place: nothing else leads a worker to it. */
function placesNeeded({ status, isParked }: ModelLetter): number {
  return (status === 'QUARANTINE' || status === 'VALIDATING') && !isParked ? 1 : 0
}

test('one after the other, all writers of a print job act as the model in memory', async () => {
  await fc.assert(
    fc.asyncProperty(
      start,
      fc.commands([action.map((each) => new Command(each))], { size: '+1', maxCommands: 40 }),
      async (begun, commands) => {
        const real = await someLetters(runs, letterCount)
        const model = new LetterModel(letterCount)
        for (const each of begun) await new Command(each).run(model, real)

        await fc.asyncModelRun(() => ({ model, real }), commands)

        expect(await readLetters(real)).toEqual(model.letters())
      },
    ),
    propertyRuns(30),
  )
  expect(await replayTimelines(runs)).toEqual([])
})

test('concurrently over three connections, all writers of a print job do only what the model allows', async () => {
  const some = fc.array(action, { minLength: 6, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(start, fc.tuple(some, some, some), async (begun, writers) => {
      const real = await someLetters(runs, letterCount)
      for (const each of begun) await perform(real, each)

      await Promise.all(
        writers.map(async (actions) => {
          for (const each of actions) await perform(real, each)
        }),
      )

      const letters = await readLetters(real)
      expect(letters.map(({ places }) => places.length)).toEqual(letters.map(placesNeeded))
    }),
    propertyRuns(12),
  )
  expect(await replayTimelines(runs)).toEqual([])
  const violations = Object.entries(await countViolations(runs.db))
  expect(violations.filter(([, count]) => count > 0)).toEqual([])
  expect(await findWrongCounts(runs.db)).toEqual([])
})
