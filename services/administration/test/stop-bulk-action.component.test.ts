import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'
import { conflict, someBulkActions } from './some-bulk-actions.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
const bulk = someBulkActions(administration)

const operator = () => `consumer:${administration.ids.operator}`

/** Returns how many statements with this text wait for another transaction. */
async function countWaiting(words: string): Promise<number | null> {
  const { rowCount } = await runs.pool.query(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
    [words],
  )
  return rowCount
}

describe('POST /bulk-actions/{bulkActionId}/stop', () => {
  test('200: a plan is withdrawn and cannot be confirmed, and a repetition is safe', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)
    const { bulkActionId } = planned.body

    const stopped = await bulk.as('POST', `/bulk-actions/${bulkActionId}/stop`)
    const again = await bulk.as('POST', `/bulk-actions/${bulkActionId}/stop`, undefined, 'admin')

    expect(stopped).toMatchObject({
      status: 200,
      body: {
        state: 'STOPPED',
        stoppedBy: 'operator',
        progress: { notBegun: 1, left: 0 },
        items: [{ printJobKey: keys[0], outcome: 'not-begun' }],
      },
    })
    expect(again.body).toEqual(stopped.body)
    expect(await bulk.confirm(planned)).toMatchObject(conflict('It was stopped.'))
    expect(await bulk.recordedOf(bulkActionId)).toEqual([
      [operator(), 'bulk-action.planned'],
      [operator(), 'bulk-action.stopped'],
    ])
  })

  test('200: stopped halfway, finished print jobs are reported and the others stay unchanged', async () => {
    const { keys } = await runs.anOpenRun(3)
    const { keys: others } = await runs.anOpenRun(20)
    const planned = await bulk.plan([...keys, ...others])
    const held = await runs.pool.connect()
    await held.query('begin')
    await held.query('select from print_job where key = any ($1::uuid[]) for update', [
      keys.slice(1),
    ])
    await bulk.confirm(planned, 'admin')
    const path = `/bulk-actions/${planned.body.bulkActionId}`
    await eventually(async () => (await countWaiting('from print_job where key')) === 2, {
      message: 'the first is done, and those under way wait',
    })

    const stopping = bulk.as('POST', `${path}/stop`)
    await eventually(async () => (await countWaiting('pg_advisory_xact_lock(')) === 1, {
      message: 'the stop waits for the print jobs that are under way',
    })
    await held.query('commit')
    held.release()
    const { status, body } = await stopping

    expect([status, body.state, body.progress]).toEqual([
      200,
      'STOPPED',
      { done: 3, refused: 0, absent: 0, notBegun: 20, left: 0, failing: 0 },
    ])
    const { rows } = await runs.pool.query(
      'select key, held_at is not null as held from print_job where key = any ($1::uuid[])',
      [[...keys, ...others]],
    )
    const told = new Map(
      body.items.map(({ printJobKey, outcome }: { printJobKey: string; outcome: string }) => [
        printJobKey,
        outcome === 'done',
      ]),
    )
    expect(new Map(rows.map(({ key, held: isHeld }) => [key, isHeld]))).toEqual(told)
  })

  test('409: the action has ended', async () => {
    const { keys } = await runs.anOpenRun()
    const planned = await bulk.plan(keys)
    await bulk.confirm(planned)
    await bulk.endOf(planned)

    expect(await bulk.as('POST', `/bulk-actions/${planned.body.bulkActionId}/stop`)).toMatchObject(
      conflict('It has ended.'),
    )
  })
})
