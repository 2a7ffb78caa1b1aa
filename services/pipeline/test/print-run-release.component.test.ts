import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGathering } from '../src/print-run/gather.ts'
import { releaseNextPrintRun } from '../src/print-run/release.ts'
import { aPrintFloor, type PrintFloor } from './a-print-floor.ts'

let floor: PrintFloor
beforeEach(async () => {
  floor = await aPrintFloor()
  await floor.addProvider('north')
})
afterEach(() => floor.close())

const gather = () => createGathering({ db: floor.own.db, runAgeMs: 0, documentsMax: 1_000 })()
const release = () => releaseNextPrintRun({ db: floor.own.db, objects: { put: async () => {} } })

/** Makes statements fail as a statement timeout does. */
async function failOn(table: string, event: string, condition: string): Promise<void> {
  await floor.database.pool.query(`
    create function fail() returns trigger language plpgsql as $$
    begin
      if ${condition} then raise exception 'canceling statement' using errcode = '57014'; end if;
      return null;
    end $$;
    create trigger fail after ${event} on ${table}
      referencing new table as changed for each statement execute function fail()`)
}

test('a failed release is recorded, and another run is released in the meantime', async () => {
  await floor.addPending({}, {})
  await gather()
  await floor.addPending({})
  await gather()
  const { rows: due } = await floor.database.pool.query(
    'select batch_number from print_run order by release_began_at',
  )
  const first = due[0].batch_number
  await failOn(
    'print_run_document',
    'update',
    `exists (select from changed where batch_number = '${first}' and sequence is not null)`,
  )

  await expect(release()).rejects.toMatchObject({ code: '57014' })
  expect([await release(), await release()]).toEqual(['again', 'idle'])

  expect(await floor.listRuns()).toMatchObject([
    { state: 'OPEN', documents: 2 },
    { state: 'RELEASED', documents: 1 },
  ])
  const { rows: noted } = await floor.database.pool.query(
    `select release_failures as failures, release_fault as fault, release_retry_at > now() as waits
     from print_run order by batch_number`,
  )
  expect(noted).toEqual([
    { failures: 1, fault: '57014', waits: true },
    { failures: 0, fault: null, waits: null },
  ])

  await floor.database.pool.query(
    'drop trigger fail on print_run_document; update print_run set release_retry_at = now()',
  )
  expect(await release()).toBe('again')
  expect(await floor.listRuns()).toMatchObject([{ state: 'RELEASED' }, { state: 'RELEASED' }])
})

test('a release on a slow database continues with smaller pages', async () => {
  await floor.addManyPending(300)
  await gather()
  await failOn('print_run_document', 'update', '(select count(*) from changed) > 160')

  for (const _ of ['2,500', '1,250', '625', '312']) {
    await expect(release()).rejects.toMatchObject({ code: '57014' })
    await floor.database.pool.query('update print_run set release_retry_at = now()')
  }

  expect(await release()).toBe('again')
  expect(await floor.listRuns()).toMatchObject([{ state: 'RELEASED', documents: 300 }])
})

test('a gathering pass that failed as too large is repeated with fewer letters', async () => {
  await floor.addManyPending(120)
  await failOn('print_run_document', 'insert', '(select count(*) from changed) > 60')
  const pass = createGathering({ db: floor.own.db, runAgeMs: 3_600_000, documentsMax: 1_000 })

  for (let passes = 0; passes < 12; passes++) await pass().catch(() => undefined)

  expect(await floor.listRuns()).toMatchObject([{ state: 'OPEN', documents: 120 }])
})

test('a failed rerouting is reported, and does not prevent gathering', async () => {
  await floor.addPending({})
  await gather()
  await floor.addProvider('south')
  await floor.changeSite('north', { enabled: false })
  await floor.addPending({})
  await failOn(
    'print_run_document',
    'update',
    'exists (select from changed where removed_at is not null)',
  )

  await expect(gather()).rejects.toMatchObject({ code: '57014' })

  expect(await floor.listRuns()).toMatchObject([
    { provider: 'north', documents: 1 },
    { provider: 'south', documents: 1 },
  ])
})
