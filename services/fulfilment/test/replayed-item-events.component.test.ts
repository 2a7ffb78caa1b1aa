import { countQueries } from '@despatch/testing/count-queries'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { anEvent, aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
const { rows: query } = fulfilment

/** Returns every column of the documents and their events that reports may change, and the serial numbers. */
async function rowsOf(batchNumber: string) {
  return {
    documents: await query(
      `select document_id, attempt, progress, outcome, serial_number, despatch_properties, mailmark_item_id
      from print_run_document where batch_number = $1 order by sequence`,
      batchNumber,
    ),
    events: await query(
      `select event_id, document_id, attempt, type, serial_number, reason_code from print_run_event
      where batch_number = $1 order by event_id`,
      batchNumber,
    ),
    numbers: await query(
      `select serial_number, state, document_id, attempt from serial_number
      where batch_number = $1 order by serial_number`,
      batchNumber,
    ),
    jobs: await query(
      `select job.status, job.comment, job.serial_number from print_job job
      join print_run_document document on document.print_job_key = job.key
      where document.batch_number = $1 order by document.sequence`,
      batchNumber,
    ),
    notes: await query(
      `select document.sequence, transition, reason, count(*) from print_job_event
      join print_run_document document using (print_job_key)
      where document.batch_number = $1 group by 1, 2, 3 order by 1, 2, 3`,
      batchNumber,
    ),
  }
}

/** Events of three documents: one leaves, one is spoiled, one fails. */
function aStory({
  documentIds,
  batchNumber: name,
}: {
  documentIds: string[]
  batchNumber: string
}) {
  const [good, spoiled, failed] = documentIds as [string, string, string]
  const at = (step: number) => ({ despatchProperties: [{ key: 'step', value: String(step) }] })
  const places = new Map([good, spoiled, failed].map((documentId, place) => [documentId, place]))
  const of = (documentId: string, type: string, rest: object = {}) =>
    anEvent({ documentId, type, eventId: `${name} ${places.get(documentId)} ${type}`, ...rest })
  return [
    of(good, 'FETCHED', at(1)),
    of(good, 'PRINTED', { ...at(2), serialNumber: `${name} 1` }),
    of(good, 'DIVERTED', at(3)),
    of(good, 'ENCLOSED', at(4)),
    of(spoiled, 'FETCHED'),
    of(spoiled, 'PRINTED', { serialNumber: `${name} 2` }),
    of(spoiled, 'SPOILED', { serialNumber: `${name} 3`, ...at(9) }),
    of(failed, 'PRINTED', { serialNumber: `${name} 4` }),
    of(failed, 'SPOILED'),
    of(failed, 'FAILED', { reasonCode: 'TORN' }),
  ]
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

describe('events in any order', () => {
  test('leave the same rows when they are repeated, and when they come one by one', async () => {
    const inOrder = await fulfilment.anAcknowledgedRun({}, {}, {})
    const { batchNumber } = inOrder
    await production.report(batchNumber, aStory(inOrder))
    const rows = await rowsOf(batchNumber)
    const states = ['USED', 'SPOILED', 'SPOILED', 'SPOILED']
    expect(rows.numbers.map(({ state }) => state)).toEqual(states)
    const repeated = await production.results(batchNumber, shuffled(aStory(inOrder)))
    expect(new Set(repeated)).toEqual(new Set(['DUPLICATE']))
    expect(await rowsOf(batchNumber)).toEqual(rows)

    const names = [batchNumber, ...inOrder.documentIds]

    for (let time = 0; time < 5; time += 1) {
      const run = await fulfilment.anAcknowledgedRun({}, {}, {})
      const story = shuffled(aStory(run))
      for (const event of story) await production.report(run.batchNumber, [event])

      const own = [run.batchNumber, ...run.documentIds]
      const renamed = own.reduce(
        (text, name, place) => text.replaceAll(name, names[place]!),
        JSON.stringify(await rowsOf(run.batchNumber)),
      )
      expect(JSON.parse(renamed), story.map(({ eventId }) => eventId).join(', ')).toEqual(rows)
    }
  })

  test('are applied once when two calls send them at the same time', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {}, {})
    const story = aStory(run)

    const answers = await Promise.all([
      production.results(run.batchNumber, story),
      production.results(run.batchNumber, story.toReversed()),
      production.results(run.batchNumber, shuffled(story)),
    ])

    const kept = answers.flat().filter((result) => result === 'APPLIED' || result === 'RECORDED')
    expect(kept).toHaveLength(story.length)
    const others = answers.flat().filter((result) => result === 'DUPLICATE')
    expect(others).toHaveLength(story.length * 2)
  })

  test('keep the id that another run uses at the same time', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const other = await fulfilment.anAcknowledgedRun({})
    const [one, two] = run.documentIds
    const [elsewhere] = other.documentIds
    const client = await fulfilment.database.pool.connect()
    await client.query('begin')
    await client.query(
      `insert into print_run_event (provider_id, event_id, event_hash, batch_number, document_id, attempt, type, result, occurred_at)
      values ('north', 'raced', '', $1, $2, 1, 'PRINTED', 'APPLIED', now())`,
      [other.batchNumber, elsewhere],
    )

    const answer = production.results(run.batchNumber, [
      { eventId: 'not raced', documentId: one, type: 'PRINTED' },
      { eventId: 'raced', documentId: two, type: 'PRINTED' },
    ])
    await expect
      .poll(() =>
        query(
          `select 1 as waits from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        ),
      )
      .toEqual([{ waits: 1 }])
    await client.query('commit')
    client.release()

    expect(await answer).toEqual(['APPLIED', 'event-id-reused'])
    expect((await production.standings(run.batchNumber)).toSorted()).toEqual(['1', '1 PRINTED'])
    expect(await production.timeline(await fulfilment.keyOf(one))).toEqual(['print'])
  })

  test('take as many queries for five hundred as for two', async () => {
    const manyOf = async (count: number) => {
      const run = await fulfilment.anAcknowledgedRun(...Array(count).fill({}))
      const events = run.documentIds.map((documentId, place) => ({
        documentId,
        type: 'PRINTED',
        serialNumber: `${run.batchNumber} ${place}`,
        despatchProperties: [{ key: 'trayId', value: String(place) }],
      }))
      return { run, events }
    }
    const [few, many] = [await manyOf(2), await manyOf(500)]
    const queries = countQueries()
    await production.report(few.run.batchNumber, few.events)
    const queriesOfFew = queries.count()
    queries.restart()

    const results = await production.results(many.run.batchNumber, many.events)

    expect(queries.count()).toBe(queriesOfFew)
    expect(results).toEqual(Array(500).fill('APPLIED'))
    expect(new Set(await production.standings(many.run.batchNumber))).toEqual(
      new Set(['1 PRINTED']),
    )
    expect(
      await query(
        'select serial_number from print_job where document_id = $1',
        many.events[0]!.documentId,
      ),
    ).toEqual([{ serial_number: `${many.run.batchNumber} 0` }])
  })
})
