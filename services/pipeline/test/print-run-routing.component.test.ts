import { saveClaim } from '@despatch/store/print-run/claim'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aPrintFloor, everyMidnight, type PrintFloor } from './a-print-floor.ts'

const anHourMs = 3_600_000

let floor: PrintFloor
beforeEach(async () => {
  floor = await aPrintFloor()
})
afterEach(() => floor.close())

const letters = (count: number) => Array.from({ length: count }, () => ({}))
const fromNow = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Returns the number of documents at each provider. */
async function countHeld(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { provider, documents } of await floor.listRuns()) {
    counts[provider] = (counts[provider] ?? 0) + documents
  }
  return counts
}

function leave(providerId: string) {
  return floor.database.pool.query(
    `update provider set last_seen_at = now() - interval '1 hour' where id = $1`,
    [providerId],
  )
}

function claim(providerId: string, batchNumber: string) {
  const requestHash = Buffer.alloc(32)
  const details = { providerId, batchNumber, claimKey: batchNumber, requestHash, leaseSeconds: 900 }
  return saveClaim(floor.database.db, details, () => Buffer.from('{}'))
}

async function listReleased(providerId: string): Promise<string[]> {
  const { rows } = await floor.database.pool.query(
    `select batch_number from print_run where state = 'RELEASED' and provider_id = $1`,
    [providerId],
  )
  return rows.map(({ batch_number }) => batch_number)
}

test('shares hold over passes of one print job each', async () => {
  await floor.addProvider('north', { share: 3 })
  await floor.addProvider('south', { share: 1 })
  for (const letter of letters(8)) {
    await floor.addPending(letter)
    await floor.gatherAll({ runAgeMs: anHourMs })
  }

  expect(await countHeld()).toEqual({ north: 6, south: 2 })
})

test('the unclaimed work of an absent provider is reassigned under the same document ids', async () => {
  await floor.addProvider('north', { awaySecondsMax: 60 })
  const printJobs = await floor.addPending(...letters(4))
  await floor.gatherAll({ runAgeMs: 0 })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs: anHourMs })
  const listIds = async () => {
    const { rows } = await floor.database.pool.query(
      'select print_job_key, document_id from print_run_document where removed_at is null order by 1',
    )
    return rows
  }
  const before = await listIds()
  await floor.addProvider('south')

  await floor.gatherAll({ runAgeMs: 0 })
  expect(await countHeld()).toEqual({ north: 5 })
  await leave('north')
  await floor.gatherAll({ runAgeMs: 0 })

  expect(await floor.listRuns()).toMatchObject([
    { provider: 'north', state: 'CLOSED', documents: 0 },
    { provider: 'north', state: 'CLOSED', documents: 0 },
    { provider: 'south', state: 'RELEASED', documents: 5 },
  ])
  expect(await listIds()).toEqual(before)
  expect(before).toHaveLength(printJobs.length + 1)
})

test('claimed runs stay with their provider, and so do unclaimed runs that no other site can print', async () => {
  await floor.addProvider('north', { awaySecondsMax: 60 })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs: 0 })
  await claim('north', (await listReleased('north'))[0]!)
  await floor.addPending({ sheets: 6 })
  await floor.gatherAll({ runAgeMs: 0 })
  await floor.addProvider('south', { can: { formats: ['LETTER'] } })

  await leave('north')
  await floor.gatherAll({ runAgeMs: 0 })

  expect(await floor.listRuns()).toMatchObject([
    { provider: 'north', state: 'CLAIMED', documents: 1 },
    { provider: 'north', state: 'RELEASED', documents: 1 },
  ])
})

test('a run that an operator reassigned is neither rerouted nor closed', async () => {
  await floor.addProvider('north')
  const [printJob] = await floor.addPending({})
  await floor.gatherAll({ runAgeMs: 0 })
  await floor.database.pool.query('update print_run set moved_from = batch_number')
  await floor.addProvider('south')
  await floor.changeSite('north', { enabled: false })

  await floor.gatherAll({ runAgeMs: 0 })
  expect(await floor.listRuns()).toMatchObject([{ provider: 'north', documents: 1 }])
  await floor.database.pool.query('update print_run set print_epoch = 2')
  await floor.deleteJob(printJob!.id)
  await floor.gatherAll({ runAgeMs: 0 })
  expect(await floor.listRuns()).toMatchObject([{ provider: 'north', state: 'RELEASED' }])
})

test('maintenance reroutes a run once it is due, but not before', async () => {
  await floor.addProvider('north', { can: { calendar: everyMidnight } })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs: 0 })
  await floor.addProvider('south')
  const can = {
    calendar: everyMidnight,
    maintenance: [{ from: new Date().toISOString(), until: fromNow(anHourMs) }],
  }
  await floor.changeSite('north', { can })

  await floor.gatherAll({ runAgeMs: 0 })
  expect(await countHeld()).toEqual({ north: 1 })
  await floor.database.pool.query('update print_run set release_asked_at = now()')
  await floor.gatherAll({ runAgeMs: 0 })
  expect(await countHeld()).toEqual({ north: 0, south: 1 })
})

test('claims concurrent with rerouting leave every letter in one run, and a claimed run complete', async () => {
  await floor.addProvider('north', { awaySecondsMax: 60 })
  const printJobs = await floor.addPending(...letters(60))
  await floor.gatherAll({ runAgeMs: 0, documentsMax: 3 })
  await floor.addProvider('south')
  await leave('north')
  const offered = await listReleased('north')
  const claimOne = (batchNumber: string) => claim('north', batchNumber)

  // one claim before the build starts and one after it has ended; of the others, some before it has read what it may
  // take and some after
  const first = await claimOne(offered[0]!)
  const early = offered.slice(1, 4).map(claimOne)
  const gathering = floor.gatherAll({ runAgeMs: 0 })
  const late = offered.slice(4, -1).map(claimOne)
  const racing = await Promise.all([...early, ...late])
  await gathering
  const outcomes = [first, ...racing, await claimOne(offered.at(-1)!)]
  await floor.gatherAll({ runAgeMs: 0 })

  expect(offered).toHaveLength(20)
  expect([outcomes[0]!.kind, outcomes.at(-1)!.kind]).toEqual(['claimed', 'empty'])
  expect(racing.filter(({ kind }) => kind !== 'claimed' && kind !== 'empty')).toEqual([])
  const claimed = offered.filter((_, index) => outcomes[index]!.kind === 'claimed')
  const { rows } = await floor.database.pool.query(`
    select provider_id as provider, status, count(*) as documents
    from print_run_document join print_run using (batch_number) join print_job on key = print_job_key
    where removed_at is null and print_job.batch_number = print_run.batch_number group by 1, 2 order by 1`)
  const expected = [
    { provider: 'north', status: 'PRODUCTION', documents: claimed.length * 3 },
    { provider: 'south', status: 'PENDING', documents: 60 - claimed.length * 3 },
  ]
  expect(rows).toEqual(expected.filter(({ documents }) => documents > 0))
  expect(await floor.listHeld()).toEqual(printJobs.map(({ key }) => key).toSorted())
})

test('deletions concurrent with rerouting leave no deleted letter in a run, and every other letter in one', async () => {
  await floor.addProvider('north', { awaySecondsMax: 60 })
  const printJobs = await floor.addPending(...letters(60))
  await floor.gatherAll({ runAgeMs: 0, documentsMax: 5 })
  await floor.addProvider('south')
  await leave('north')
  const isDeleted = (_: unknown, index: number) => index % 2 === 0

  const [, ...outcomes] = await Promise.all([
    floor.gatherAll({ runAgeMs: 0 }),
    ...printJobs.filter(isDeleted).map(({ id }) => floor.deleteJob(id)),
  ])
  await floor.gatherAll({ runAgeMs: 0 })

  expect(new Set(outcomes)).toEqual(new Set(['deleted']))
  const kept = printJobs.filter((_, index) => !isDeleted(_, index)).map(({ key }) => key)
  expect(await floor.listHeld()).toEqual(kept.toSorted())
  expect(await countHeld()).toMatchObject({ north: 0, south: kept.length })
})
