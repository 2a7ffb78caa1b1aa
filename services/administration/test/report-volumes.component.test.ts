import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import { correctCounts } from '@despatch/testing/kept-counts'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
await despatchOneOf(await runs.anAcknowledgedRun(2))
const { rows } = await runs.pool.query(
  `select id, user_name from consumer where id = (select consumer_id from print_job limit 1)`,
)
const consumerId = rows[0].id
const userName = rows[0].user_name

/** On the first of November two letters come in and one leaves. */
async function despatchOneOf({
  batchNumber,
  documentIds,
}: {
  batchNumber: string
  documentIds: string[]
}) {
  const outcome = await insertPosting(runs.db, {
    providerId: 'north',
    postingKey: 'one',
    requestHash: Buffer.alloc(32),
    printRuns: [{ batchNumber, documentIds: documentIds.slice(0, 1) }],
    carrier: 'Royal Mail',
    handoverAt: new Date(),
    details: [],
    despatchProperties: [{ key: 'postageClass', value: '+2ND' }],
  })
  if (outcome.kind !== 'posted') throw new Error(outcome.kind)
  await saveConfirmation(runs.db, { providerId: 'north', postingId: outcome.posting.postingId })
  await runs.pool.query(`update posting set confirmed_at = '2026-11-01T12:00Z'`)
  await runs.pool.query(`update print_job_event set at = '2026-11-01T10:00Z'`)
  await correctCounts(runs.db)
}

const november = '/volumes?from=2026-11-01&to=2026-11-30'
const counts = { accepted: 2, rejected: 0, deleted: 0, letters: 1, sheets: 1, pages: 2 }

describe('GET /volumes', () => {
  test('200: counts accepted and despatched letters by day', async () => {
    const { status, headers, body } = await administration.as('operator', 'GET', november)

    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': expect.stringContaining('json'),
      vary: 'Accept',
    })
    expect(body).toEqual({
      from: '2026-11-01',
      to: '2026-11-30',
      groupBy: 'day',
      total: counts,
      volumes: [
        {
          period: '2026-11-01',
          consumerId,
          userName,
          jobType: 'LETTER',
          templateReference: 'LETTER',
          ...counts,
          despatched: [
            { despatchMethod: 'SECOND', postageClass: '+2ND', letters: 1, sheets: 1, pages: 2 },
          ],
        },
      ],
    })
  })

  test('200: counts by month, of one consumer', async () => {
    const of = (id: string) =>
      administration.as('operator', 'GET', `${november}&groupBy=month&consumerId=${id}`)

    expect((await of(consumerId)).body).toMatchObject({
      groupBy: 'month',
      total: counts,
      volumes: [{ period: '2026-11', userName }],
    })
    expect((await of(administration.ids.consumer)).body).toMatchObject({ volumes: [] })
  })

  test('200: returns CSV with Accept: text/csv, in which no cell is a formula', async () => {
    const { statusCode, headers, body } = await administration.service.api.inject({
      method: 'GET',
      url: `/administration/v1${november}`,
      headers: { ...(await administration.headersOf('operator')), accept: 'text/csv' },
    })

    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="volumes-2026-11-01-2026-11-30.csv"',
      vary: 'Accept',
    })
    expect(body).toBe(
      [
        'period,userName,jobType,templateReference,despatchMethod,postageClass,accepted,rejected,deleted,letters,sheets,pages',
        `2026-11-01,${userName},LETTER,LETTER,,,2,0,0,0,0,0`,
        `2026-11-01,${userName},LETTER,LETTER,SECOND,'+2ND,0,0,0,1,1,2`,
        '',
      ].join('\r\n'),
    )
  })

  const refused: [query: string, field: string, detail: string][] = [
    ['?from=yesterday&to=2026-11-30', 'from', 'from must be a day such as 2026-12-24'],
    ['?from=2026-11-02&to=2026-11-01', 'to', 'to must not be before from, 2026-11-02'],
    [
      '?from=2025-11-01&to=2026-11-02',
      'to',
      'to must be at most 366 days, counted from 2025-11-01',
    ],
  ]

  test.for(refused)('400: %s', async ([query, field, detail]) => {
    const { status, body } = await administration.as('operator', 'GET', `/volumes${query}`)

    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [expect.objectContaining({ title: field, detail })],
    })
  })

  test('404: the consumer is unknown', async () => {
    const id = '00000000-0000-4000-8000-000000000000'

    expect(
      await administration.as('operator', 'GET', `${november}&consumerId=${id}`),
    ).toMatchObject(
      refusal(
        '404 NOT_FOUND',
        'ConsumerNotFound',
        `There is no consumer with the id ${id}`,
        'No such consumer',
      ),
    )
  })
})
