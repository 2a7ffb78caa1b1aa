import { addDays, londonDateOf, londonInstant } from '@despatch/domain/calendar/london'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aPrintFloor, everyMidnight, type PrintFloor } from './a-print-floor.ts'

const runAgeMs = 3_600_000

let floor: PrintFloor
beforeEach(async () => {
  floor = await aPrintFloor()
  await floor.addProvider('north', { can: { calendar: everyMidnight } })
})
afterEach(() => floor.close())

async function listDates() {
  const { rows } = await floor.database.pool.query(`
    select state, cut_off_at as "cutOffAt", expected_despatch_on as "despatchOn" from print_run order by batch_number`)
  return rows
}

/** The same time on the day before in London, where days of 23 and of 25 hours exist. */
const aDayBefore = (at: string) =>
  `(${at} at time zone 'Europe/London' - interval '1 day') at time zone 'Europe/London'`

/** Makes the run a day older, so that its cut-off was at the last midnight. */
function letADayPass() {
  return floor.database.pool.query(`update print_run set opened_at = ${aDayBefore('opened_at')}`)
}

/** Makes the print jobs' acceptance a day older, before the last midnight. */
function acceptYesterday(keys: readonly string[]) {
  return floor.database.pool.query(
    `update print_job set updated_at = ${aDayBefore('updated_at')} where key = any ($1)`,
    [keys],
  )
}

function acceptAt(key: string, at: Date) {
  return floor.database.pool.query('update print_job set updated_at = $2 where key = $1', [key, at])
}

const lastMidnight = () => londonInstant(londonDateOf(new Date()), '00:00')

test('an open run has its cut-off and its expected despatch date', async () => {
  await floor.addPending({})

  await floor.gatherAll({ runAgeMs })

  const tomorrow = addDays(londonDateOf(new Date()), 1)
  expect(await listDates()).toEqual([
    { state: 'OPEN', cutOffAt: londonInstant(tomorrow, '00:00'), despatchOn: addDays(tomorrow, 1) },
  ])
})

test('the dates of an open run follow the capabilities of its site, and those of a released run stay', async () => {
  await floor.addPending({ params: { despatchMethod: 'FIRST' } })
  await floor.gatherAll({ runAgeMs })
  await letADayPass()
  await floor.gatherAll({ runAgeMs })
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs })
  const [released] = await listDates()

  await floor.changeSite('north', { can: { calendar: { ...everyMidnight, productionDays: 5 } } })
  await floor.gatherAll({ runAgeMs })

  const today = londonDateOf(new Date())
  expect(await listDates()).toEqual([
    released,
    {
      state: 'OPEN',
      cutOffAt: londonInstant(addDays(today, 1), '00:00'),
      despatchOn: addDays(today, 6),
    },
  ])
  expect(released).toMatchObject({ state: 'RELEASED', despatchOn: addDays(today, 1) })
})

test('a due run waits until it has all letters accepted in time, with any number of late letters', async () => {
  const limits = { runAgeMs, documentsMax: 100, jobsMax: 2 }
  const pass = () => gatherAndRelease(floor.own.db, limits)
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs })
  await letADayPass()
  await floor.addPending({}, {})
  const [inTime] = await floor.addPending({})
  await acceptYesterday([inTime!.key])

  const passes = [await pass(), await pass()]

  expect(passes).toEqual([
    { gathered: 0, gatheredFirst: [], released: [], rerouted: [], isMore: true },
    {
      gathered: 1,
      gatheredFirst: [inTime!.key],
      released: [expect.any(String)],
      rerouted: [],
      isMore: false,
    },
  ])
  await floor.database.pool.query('update print_job set route_after = null')
  await floor.gatherAll({ runAgeMs })
  expect(await floor.listRuns()).toMatchObject([
    { state: 'RELEASED', documents: 2 },
    { state: 'OPEN', documents: 2 },
  ])
})

test.for([
  ['in time', (key: string) => acceptYesterday([key])],
  ['exactly at the cut-off', (key: string) => acceptAt(key, lastMidnight())],
] as const)('a due run waits for a locked print job that was accepted %s', async ([, accept]) => {
  await floor.addPending({})
  await floor.gatherAll({ runAgeMs })
  await letADayPass()
  const [inTime] = await floor.addPending({})
  await accept(inTime!.key)
  const holder = await floor.database.pool.connect()
  await holder.query('begin')
  await holder.query('select from print_job where key = $1 for no key update', [inTime!.key])

  await floor.gatherAll({ runAgeMs })

  expect(await floor.listRuns()).toMatchObject([{ state: 'OPEN', documents: 1 }])
  await holder.query('rollback')
  holder.release()
  await floor.gatherAll({ runAgeMs })
  expect(await floor.listRuns()).toMatchObject([{ state: 'RELEASED', documents: 2 }])
})
