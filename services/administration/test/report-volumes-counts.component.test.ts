import { randomUUID } from 'node:crypto'
import type { VolumeLine } from '@despatch/contracts/administration/volume-report'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import { insertProvider } from '@despatch/store/access/consumers'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting, type NewPosting } from '@despatch/store/posting/postings'
import { purgeRows } from '@despatch/store/print-job/purge-rows'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { selectVolumes } from '../src/operations/report-volumes.ts'

const database = await shared(cloneDatabase())
const runs = await shared(somePrintRuns(database.url))
await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })

const nothing = { accepted: 0, rejected: 0, deleted: 0, letters: 0, sheets: 0, pages: 0 }

function report(
  from: string,
  to: string,
  more: { groupBy?: 'month'; consumerId?: string; linesMax?: number } = {},
): Promise<VolumeLine[]> {
  return selectVolumes(runs.db, { from, to, groupBy: 'day', linesMax: 100, ...more })
}

function sumOf(lines: readonly VolumeLine[], name: keyof typeof nothing): number {
  return lines.reduce((sum, line) => sum + line[name], 0)
}

async function aPosting(
  batchNumber: string,
  given: Partial<NewPosting> & { documentIds?: readonly string[] } = {},
): Promise<{ providerId: string; postingId: string }> {
  const { documentIds, ...posting } = given
  const providerId = 'north'
  const outcome = await insertPosting(runs.db, {
    providerId,
    postingKey: randomUUID(),
    requestHash: Buffer.alloc(32),
    printRuns: [{ batchNumber, documentIds }],
    carrier: 'Royal Mail',
    handoverAt: new Date(),
    despatchProperties: [],
    details: [],
    ...posting,
  })
  if (outcome.kind !== 'posted') throw new Error(`The posting is refused: ${outcome.kind}`)
  return { providerId, postingId: outcome.posting.postingId }
}

describe('despatched letters', () => {
  test('are counted by the confirmed postings of the period, with their sheets', async () => {
    const [first, second] = [await runs.anAcknowledgedRun(4), await runs.anAcknowledgedRun(3)]
    const unconfirmed = await runs.anAcknowledgedRun(2)
    const { documentIds } = first
    await runs.pool.query('update print_run_document set sheets = 3 where document_id = $1', [
      documentIds[0],
    ])
    const one = await aPosting(first.batchNumber, { documentIds: documentIds.slice(0, 3) })
    const another = await aPosting(second.batchNumber)
    await aPosting(unconfirmed.batchNumber)
    // spoiled after it was put into the posting: the confirmation leaves it out
    await runs.pool.query(
      `update print_run_document set progress = 'SPOILED' where document_id = $1`,
      [second.documentIds[0]],
    )
    await confirm(one, '2026-05-01T09:00:00Z')
    await confirm(another, '2026-05-31T22:59:59Z')

    const lines = await report('2026-05-01', '2026-05-31')

    const sums = (['letters', 'sheets', 'pages'] as const).map((name) => sumOf(lines, name))
    expect(sums).toEqual([5, 7, 10])
    expect(await report('2026-06-01', '2026-06-30')).toEqual([])
  })

  test('are listed by despatch method and by the postage class that the consumer received', async () => {
    const run = await runs.anAcknowledgedRun(4)
    await runs.pool.query(
      `update print_run set despatch_method = 'ECONOMY' where batch_number = $1`,
      [run.batchNumber],
    )
    const [plain, ofPosting, ofDocument, alone] = run.documentIds as [string, ...string[]]
    const note = { key: 'note', value: 'x' }
    const postings = [
      await aPosting(run.batchNumber, { documentIds: [plain] }),
      await aPosting(run.batchNumber, {
        documentIds: [ofPosting!, ofDocument!],
        despatchProperties: [...postageClass('FRANKED'), note],
        details: [{ documentId: ofDocument!, despatchProperties: postageClass('1ST') }],
      }),
      await aPosting(run.batchNumber, {
        documentIds: [alone!],
        details: [{ documentId: alone!, despatchProperties: [note] }],
      }),
    ]
    for (const posting of postings) await confirm(posting, '2026-02-10T12:00:00Z')

    const lines = await report('2026-02-10', '2026-02-10')

    expect(lines.map(toldOf)).toEqual([
      ['2026-02-10', 'ECONOMY', '1ST', 1, 1, 2],
      ['2026-02-10', 'ECONOMY', '2ND', 2, 2, 4],
      ['2026-02-10', 'ECONOMY', 'FRANKED', 1, 1, 2],
    ])
    const { rows } = await runs.pool.query<{ class: string; letters: number }>(
      `select property ->> 'value' as class, count(*)::integer as letters
       from print_job, jsonb_array_elements(despatch_properties) as property
       where key = any ($1::uuid[]) and property ->> 'key' = 'postageClass' group by 1 order by 1`,
      [run.keys],
    )
    expect(rows).toEqual([
      { class: '1ST', letters: 1 },
      { class: '2ND', letters: 2 },
      { class: 'FRANKED', letters: 1 },
    ])
  })

  test('count on the day in London, or in its month', async () => {
    const moments: [at: string, method: PrintRunDespatchMethod][] = [
      ['2026-06-30T22:59:59.999Z', 'FIRST'],
      ['2026-06-30T23:00:00Z', 'SECOND'],
      ['2026-07-31T22:59:59.999Z', 'FIRST'],
      ['2026-07-31T23:00:00Z', 'SECOND'],
    ]
    for (const [at, method] of moments) await aConfirmedPosting(at, method)

    expect((await report('2026-07-01', '2026-07-31')).map(toldOf)).toEqual([
      ['2026-07-01', 'SECOND', '2ND', 1, 1, 2],
      ['2026-07-31', 'FIRST', '1ST', 1, 1, 2],
    ])
    expect((await report('2026-06-30', '2026-08-01', { groupBy: 'month' })).map(toldOf)).toEqual([
      ['2026-06', 'FIRST', '1ST', 1, 1, 2],
      ['2026-07', 'FIRST', '1ST', 1, 1, 2],
      ['2026-07', 'SECOND', '2ND', 1, 1, 2],
      ['2026-08', 'SECOND', '2ND', 1, 1, 2],
    ])
  })

  test('still count after personal data was removed', async () => {
    const franked = { despatchProperties: postageClass('FRANKED') }
    const { keys } = await aConfirmedPosting('2026-03-29T12:00:00Z', 'SECOND', franked)
    const before = await report('2026-03-29', '2026-03-29')

    await runs.pool.query(
      'update print_job set purge_began_at = now() where key = any ($1::uuid[])',
      [keys],
    )
    expect(await purgeRows(runs.db, keys, { now: new Date() })).toEqual(keys)

    expect(before.map(toldOf)).toEqual([['2026-03-29', 'SECOND', 'FRANKED', 1, 1, 2]])
    expect(await report('2026-03-29', '2026-03-29')).toEqual(before)
  })

  const postageClass = (value: string) => [{ key: 'postageClass', value }]

  async function aConfirmedPosting(
    at: string,
    method: PrintRunDespatchMethod,
    ofPosting: Pick<NewPosting, 'despatchProperties'> = { despatchProperties: [] },
  ) {
    const run = await runs.anAcknowledgedRun()
    await runs.pool.query('update print_run set despatch_method = $2 where batch_number = $1', [
      run.batchNumber,
      method,
    ])
    await confirm(await aPosting(run.batchNumber, ofPosting), at)
    return run
  }

  async function confirm(posting: { providerId: string; postingId: string }, at: string) {
    await saveConfirmation(runs.db, posting)
    await runs.pool.query('update posting set confirmed_at = $2 where id = $1', [
      posting.postingId,
      at,
    ])
  }

  function toldOf(line: VolumeLine) {
    const { period, despatchMethod, postageClass, letters, sheets, pages } = line
    return [period, despatchMethod, postageClass, letters, sheets, pages]
  }
})

describe('print jobs', () => {
  test('count when they were accepted, rejected and deleted, by consumer and contract', async () => {
    const userName = `council-${randomUUID()}`
    const { consumerId } = await insertConsumer(runs.db, { userName })
    const [letter, notice] = [
      await aContract(consumerId, 'LETTER', 'B'),
      await aContract(consumerId, 'NOTICE', 'A'),
    ]
    await aJob(consumerId, letter, {
      submit: '2025-03-30T00:30:00Z',
      reject: '2025-03-30T23:00:00Z',
    })
    await aJob(consumerId, letter, {
      submit: '2025-03-29T23:59:59Z',
      reject: '2025-03-30T22:59:59Z',
    })
    await aJob(consumerId, notice, {
      submit: '2025-03-30T12:00:00Z',
      release: '2025-03-30T12:00:01Z',
      delete: '2025-03-30T13:00:00Z',
    })

    const lines = await report('2025-03-30', '2025-03-31', { consumerId })

    const of = { consumerId, userName, despatchMethod: null, postageClass: null, ...nothing }
    const ofLetter = { ...of, jobType: 'LETTER', templateReference: 'B' }
    const ofNotice = { ...of, jobType: 'NOTICE', templateReference: 'A' }
    expect(lines).toEqual([
      { ...ofLetter, period: '2025-03-30', accepted: 1, rejected: 1 },
      { ...ofNotice, period: '2025-03-30', accepted: 1, deleted: 1 },
      { ...ofLetter, period: '2025-03-31', rejected: 1 },
    ])
    expect(await report('2025-03-30', '2025-03-31', { consumerId: randomUUID() })).toEqual([])
    expect(await report('2025-03-30', '2025-03-31', { linesMax: 2 })).toHaveLength(2)
  })

  async function aContract(consumerId: string, jobType: string, templateReference: string) {
    const id = randomUUID()
    await runs.pool.query(
      `insert into contract (id, consumer_id, job_type, template_reference, production, callback_statuses)
       values ($1, $2, $3, $4, 'letter', '{}')`,
      [id, consumerId, jobType, templateReference],
    )
    return id
  }

  async function aJob(
    consumerId: string,
    contractId: string,
    events: Readonly<Record<string, string>>,
  ) {
    const key = randomUUID()
    await runs.pool.query(
      `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_statuses,
         correlation_id, request_fingerprint)
       values ($1::uuid, $2, $1::text, 'REJECTED', $3, '{}', '{}', 'c', '')`,
      [key, consumerId, contractId],
    )
    for (const [index, [transition, at]] of Object.entries(events).entries()) {
      await runs.pool.query(
        `insert into print_job_event (print_job_key, sequence, transition, status, at, actor)
         values ($1, $2, $3, 'QUARANTINE', $4, 'test')`,
        [key, index + 1, transition, at],
      )
    }
  }
})
