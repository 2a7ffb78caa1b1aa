import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import { aProblem } from '@despatch/testing/a-problem'
import { correctCounts } from '@despatch/testing/kept-counts'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
await despatchOneOf(await runs.anAcknowledgedRun(2))
const { consumerId } = runs.consumer
const { userName } = (await administration.asOperator('GET', `/consumers/${consumerId}`)).body

/** On the first of November two letters come in and one leaves. */
async function despatchOneOf(run: { batchNumber: string; documentIds: string[] }) {
  const outcome = await insertPosting(runs.db, {
    providerId: 'north',
    postingKey: 'one',
    requestHash: Buffer.alloc(32),
    printRuns: [{ ...run, documentIds: run.documentIds.slice(0, 1) }],
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
    const { status, headers, body } = await administration.asOperator('GET', november)

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
      administration.asOperator('GET', `${november}&groupBy=month&consumerId=${id}`)

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

  test('400: the period is not valid; 404: the consumer is unknown', async () => {
    const id = '00000000-0000-4000-8000-000000000000'

    expect(
      await administration.asOperator('GET', '/volumes?from=2026-11-02&to=2026-11-01'),
    ).toMatchObject(aProblem(400, { detail: 'to must not be before from, 2026-11-02' }))
    expect(await administration.asOperator('GET', `${november}&consumerId=${id}`)).toMatchObject(
      aProblem(404, { detail: `There is no consumer with the id ${id}` }),
    )
  })
})
