import { beforeAll, expect, test } from 'vitest'
import { shuffled } from '../../load/shuffled.ts'
import {
  aLoopForAll,
  aProductionLine,
  countCallbacks,
  countSteps,
  type ProductionLine,
  stateOfRun,
  statusesOf,
} from '../../stack/provider-loop/a-production-line.ts'
import { aProvider, type ItemEvent, refusalOf } from '../../stack/provider-loop/a-provider.ts'
import { killWhileBlocked } from '../../stack/provider-loop/kill-while-blocked.ts'

const loop = aLoopForAll()
let line: ProductionLine
beforeAll(async () => {
  line = await aProductionLine(loop())
})

const eventTypes = ['FETCHED', 'PRINTED', 'ENCLOSED'] as const

/** The events of a run: every document is printed, the first is spoiled, and the last fails. */
function aStory(batchNumber: string, documentIds: readonly string[]): ItemEvent[] {
  const events = documentIds.flatMap((documentId) =>
    eventTypes.map((type) => ({
      eventId: `${batchNumber} ${documentId} ${type}`,
      documentId,
      type,
    })),
  )
  const [first = '', last = ''] = [documentIds.at(0), documentIds.at(-1)]
  const cause = { reasonCode: 'JAM' }
  return [
    ...events,
    { eventId: `${batchNumber} spoiled`, documentId: first, type: 'SPOILED', ...cause },
    { eventId: `${batchNumber} failed`, documentId: last, type: 'FAILED', ...cause },
  ]
}

/** Returns everything that reports may change, in an order that does not depend on when they arrived. */
async function rowsOf(batchNumber: string): Promise<unknown> {
  const { rows } = await loop().database.pool.query(
    `select document.document_id, attempt, progress, outcome, job.status, job.comment,
       (select json_agg(event order by event) from (
          select transition, count(*) from print_job_event where print_job_key = job.key group by 1) as event) as steps,
       (select count(*) from print_run_event told
        where told.batch_number = document.batch_number and told.document_id = document.document_id) as events
     from print_run_document document join print_job job on job.key = document.print_job_key
     where document.batch_number = $1 order by sequence`,
    [batchNumber],
  )
  return rows
}

test('events repeated ten times in random order by two clients count once', async () => {
  const run = await line.anAcknowledgedRun(40)
  const { batchNumber, documentIds } = run
  const colleague = await aProvider(loop().gateway.url, line.provider)
  const story = aStory(batchNumber, documentIds)
  const inParts = (events: readonly ItemEvent[]) => [events.slice(0, 50), events.slice(50)]

  const told = await Promise.all(
    [line.provider, colleague].map(async (client) => {
      const results: string[] = []
      for (let time = 0; time < 10; time++) {
        for (const part of inParts(shuffled(story))) {
          const { status, body } = await client.report(batchNumber, part)
          expect(status).toBe(200)
          results.push(...body.results.map(({ result }: { result: string }) => result))
        }
      }
      return results
    }),
  )

  const results = told.flat()
  const isFirst = (result: string) => result === 'APPLIED' || result === 'RECORDED'
  expect(results).toHaveLength(20 * story.length)
  expect(results.filter(isFirst)).toHaveLength(story.length)
  expect(results.filter((result) => !isFirst(result) && result !== 'DUPLICATE')).toEqual([])

  const once = await line.anAcknowledgedRun(40)
  await line.provider.report(once.batchNumber, aStory(once.batchNumber, once.documentIds))
  const names = new Map(once.documentIds.map((id, index) => [id, documentIds[index]]))
  const expected = ((await rowsOf(once.batchNumber)) as { document_id: string }[]).map((row) => ({
    ...row,
    document_id: names.get(row.document_id),
  }))
  expect(await rowsOf(batchNumber)).toEqual(expected)
})

test('a posting that is saved and confirmed repeatedly and concurrently despatches each letter once', async () => {
  const { batchNumber, letters } = await line.anAcknowledgedRun(40)
  const colleague = await aProvider(loop().gateway.url, line.provider)
  const key = `posting ${batchNumber}`

  const posted = await Promise.all([
    line.provider.post(batchNumber, key),
    colleague.post(batchNumber, key),
    colleague.post(batchNumber, key),
  ])
  const { postingId } = posted[0].body
  const confirmed = await Promise.all(
    [line.provider, colleague, line.provider, colleague].map(({ confirm }) => confirm(postingId)),
  )
  const again = await line.provider.confirm(postingId)

  expect(posted.map(({ status, text }) => `${status} ${text}`)).toEqual(
    posted.map(() => `201 ${posted[0].text}`),
  )
  expect(new Set([...confirmed, again].map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(again.body).toMatchObject({ state: 'CONFIRMED', documentCount: 40 })
  expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 40 })
  expect(await countSteps(loop(), letters, 'despatch')).toBe(40)
  expect(await countCallbacks(loop(), letters)).toBe(40)
})

test('a confirmation that is repeated after a lost reply despatches once', async () => {
  const { batchNumber, letters } = await line.anAcknowledgedRun(10)
  const lostPosting = loop().gateway.cutNext('POST', /\/postings$/)
  await expect(line.provider.post(batchNumber, `lost ${batchNumber}`)).rejects.toThrow()
  expect(await lostPosting).toBe(201)
  const { postingId } = (await line.provider.post(batchNumber, `lost ${batchNumber}`)).body
  const lostConfirmation = loop().gateway.cutNext('POST', /\/confirm$/)
  await expect(line.provider.confirm(postingId)).rejects.toThrow()
  expect(await lostConfirmation).toBe(200)

  const { status, body } = await line.provider.confirm(postingId)

  expect([status, body.documentCount]).toEqual([200, 10])
  expect(await countSteps(loop(), letters, 'despatch')).toBe(10)
  expect(await countCallbacks(loop(), letters)).toBe(10)
})

test.each([
  ['the first letter', 'select from print_job where key = $1 for update'],
  ['the last', 'select from print_run_document where print_job_key = $1 for update'],
])(
  'killing fulfilment while a confirmation writes %s despatches no letter, and a repetition despatches all',
  async (_, hold) => {
    const { batchNumber, letters } = await line.anAcknowledgedRun(30)
    const { postingId } = (await line.provider.post(batchNumber, `killed ${batchNumber}`)).body

    await killWhileBlocked(loop(), {
      hold: (client) => client.query(hold, [letters[29]!.key]),
      call: () => line.provider.confirm(postingId),
    })

    expect(await statusesOf(loop(), letters)).toEqual({ PRODUCTION: 30 })
    expect(await countCallbacks(loop(), letters)).toBe(0)
    expect((await line.provider.confirm(postingId)).body).toMatchObject({
      state: 'CONFIRMED',
      documentCount: 30,
    })
    expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 30 })
    expect(await countSteps(loop(), letters, 'despatch')).toBe(30)
    expect(await countCallbacks(loop(), letters)).toBe(30)
  },
)

test('a run is closed only once each of its documents is accounted for', async () => {
  const { batchNumber, letters, documentIds } = await line.anAcknowledgedRun(3)
  const [posted, lost, failed] = documentIds as [string, string, string]
  const body = {
    batchNumber,
    documentIds: [posted],
    carrier: 'A carrier',
    handoverAt: '2026-01-31T18:00:00Z',
  }
  const posting = await line.provider.call('POST', '/postings', { key: batchNumber, body })

  const early = await line.provider.close(batchNumber)
  await line.provider.confirm(posting.body.postingId)
  const later = await line.provider.close(batchNumber)
  const account = await line.provider.call('GET', `/print-runs/${batchNumber}/reconciliation`)
  await line.provider.report(batchNumber, [
    { eventId: `${batchNumber} 1`, documentId: lost, type: 'FAILED', reasonCode: 'LOST' },
    { eventId: `${batchNumber} 2`, documentId: failed, type: 'FAILED', reasonCode: 'JAM' },
  ])
  const [last, repeat] = [
    await line.provider.close(batchNumber),
    await line.provider.close(batchNumber),
  ]

  const named = ({ body }: typeof early) => body.errors.map(({ title }: { title: string }) => title)
  expect(refusalOf(early)).toBe('409 DocumentsUnaccounted')
  expect(named(early)).toEqual([posted, lost, failed])
  expect(refusalOf(later)).toBe('409 DocumentsUnaccounted')
  expect(named(later)).toEqual([lost, failed])
  expect(account.body).toMatchObject({ expected: 3, despatched: 1, missing: 2, isBalanced: false })
  expect([last.status, last.body]).toMatchObject([
    200,
    { state: 'CLOSED', expected: 3, despatched: 1, failed: 2, missing: 0 },
  ])
  expect(repeat.status).toBe(200)
  expect(await stateOfRun(loop(), batchNumber)).toBe('CLOSED')
  expect(await statusesOf(loop(), letters)).toEqual({ DESPATCHED: 1, REJECTED: 2 })
})
