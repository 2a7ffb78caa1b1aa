import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aVanishedProvider } from './a-vanished-provider.ts'
import { printRunConflict } from './an-administration.ts'

const north = await shared(aVanishedProvider())

/** A run that a working provider claimed a day ago. */
async function aRunInWork(letters: number) {
  const run = await north.anAbandonedRun(letters)
  await north.comeBack()
  return run
}

describe('GET /print-runs/{batchNumber}/postings', () => {
  test('200: lists confirmed and unconfirmed postings, newest first, in pages', async () => {
    const { batchNumber, documentIds } = await north.anAbandonedRun(3)
    const path = `/print-runs/${batchNumber}/postings`
    const asked = { documentIds: documentIds.slice(0, 2), manifestNumber: 'EM42' }
    const { body: older } = await north.post(batchNumber, asked)
    const { body: newer } = await north.post(batchNumber, { documentIds: documentIds.slice(2) })
    await north.runs.pool.query(
      'update posting set confirmed_at = null, confirmed_count = null where id = $1',
      [newer.postingId],
    )

    const first = await north.as('GET', `${path}?limit=1`)
    const next = await north.as('GET', `${path}?limit=1&cursor=${first.body.nextCursor}`)

    const facts = { carrier: 'Royal Mail', printRunCount: 1, evidenceCount: 0 }
    const createdAt = expect.stringMatching(/Z$/)
    const { postingId, handoverAt, confirmedAt, manifestNumber } = older
    expect([first.status, first.body.postings, next.body.postings]).toEqual([
      200,
      [
        {
          postingId: newer.postingId,
          handoverAt: newer.handoverAt,
          createdAt,
          ...facts,
          documentCount: 1,
          sheetCount: 1,
        },
      ],
      [
        {
          postingId,
          handoverAt,
          createdAt,
          confirmedAt,
          manifestNumber,
          ...facts,
          documentCount: 2,
          sheetCount: 2,
        },
      ],
    ])
    expect(manifestNumber).toBe('EM42')
  })

  test('200: lists the weight bands of the carrier beside our estimate', async () => {
    const { batchNumber } = await north.anAbandonedRun(2)
    const kind = { despatchMethod: 'SECOND', format: 'LETTER' } as const
    const count = { ...kind, weightBandGrams: 250, documentCount: 2 }
    await north.postByProvider(batchNumber, { counts: [count] })

    const { body } = await north.as('GET', `/print-runs/${batchNumber}/postings`)

    expect(body.postings).toMatchObject([{ counts: [{ ...count, estimatedCount: 0 }] }])
  })
})

describe('POST /print-runs/{batchNumber}/postings', () => {
  test('201: all missing documents are despatched, recorded in the timelines, and the run is closed', async () => {
    const { batchNumber, documentIds, keys } = await north.anAbandonedRun(3)
    await north.runs.pool.query(
      `update print_job set callback_params = '{}', callback_origin = 'https://example.com' where key = $1`,
      [keys[0]],
    )
    const asked = north.aPosting({ all: true, manifestNumber: 'EM42' })
    const path = `/print-runs/${batchNumber}/postings`

    const posted = await north.as('POST', path, asked)
    const again = await north.as('POST', path, asked)
    const after = await north.show(batchNumber)
    const closed = await north.as('POST', `/print-runs/${batchNumber}/close`, { note: 'bankrupt' })

    const actor = north.administration.actorOf('operator')
    const facts = {
      postingId: posted.body.postingId,
      batchNumber,
      providerId: 'north',
      carrier: 'Royal Mail',
      handoverAt: asked.handoverAt,
      manifestNumber: 'EM42',
      documentCount: 3,
      sheetCount: 3,
    }
    expect([posted.status, posted.body]).toEqual([
      201,
      { ...facts, confirmedAt: expect.stringMatching(/Z$/) },
    ])
    expect([again.status, again.body]).toEqual([201, posted.body])
    expect(after.body).toMatchObject({
      state: 'RECONCILED',
      account: { expected: documentIds.length, despatched: 3, missing: 0 },
    })
    expect(closed).toMatchObject({ status: 200, body: { state: 'CLOSED' } })
    expect(await north.statusesOf(keys)).toEqual(['DESPATCHED', 'DESPATCHED', 'DESPATCHED'])
    expect(await north.recordedOf(batchNumber)).toEqual([
      { actor, detail: { ...facts, reason: 'docket of the carrier' } },
    ])
    const reason = 'Recorded on behalf of the provider: docket of the carrier'
    const { body: letter } = await north.as('GET', `/print-jobs/${keys[0]}`)
    const step = { transition: 'despatch', status: 'DESPATCHED', actor, reason }
    expect(letter.events.at(-1)).toMatchObject(step)
    expect(letter.callbacks).toMatchObject([{ jobStatus: 'DESPATCHED' }])
    const { rows: properties } = await north.runs.pool.query(
      `select value from print_job, jsonb_to_recordset(despatch_properties) as row (key text, value text)
       where print_job.key = $1 and row.key in ('mailProvider', 'eManifestId') order by value`,
      [keys[0]],
    )
    expect(properties).toEqual([{ value: 'EM42' }, { value: 'Royal Mail' }])
  })

  test('201: posts some documents, even a reprint that was never reported as printed', async () => {
    const { batchNumber, documentIds } = await north.anAbandonedRun(3)
    const [reprint, enclosed, other] = documentIds as [string, string, string]
    await north.setDocument(reprint, 'attempt = 2')
    await north.setDocument(enclosed, `progress = 'ENCLOSED'`)

    const posted = await north.post(batchNumber, { documentIds: [enclosed, reprint, reprint] })

    expect(posted).toMatchObject({ status: 201, body: { documentCount: 2 } })
    const { body } = await north.show(batchNumber)
    expect(body).toMatchObject({
      state: 'IN_PRODUCTION',
      account: { despatched: 2, missing: 1 },
      unaccounted: [{ documentId: other }],
    })
  })

  test('409: more documents are missing than agreed, and nothing is recorded; a repetition requires no count', async () => {
    const { batchNumber, documentIds, keys } = await north.anAbandonedRun(3)
    await north.setDocument(documentIds[0]!, `outcome = 'FAILED'`)
    const path = `/print-runs/${batchNumber}/postings`
    const asked = north.aPosting({ all: true })

    const all = await north.as('POST', `${path}/count`, { all: true })
    const named = await north.as('POST', `${path}/count`, { documentIds: [documentIds[1]] })
    const ended = await north.as('POST', `${path}/count`, { documentIds })
    const more = await north.as('POST', path, { ...asked, expectedCount: 1 })
    const before = await north.statusesOf(keys)
    const posted = await north.as('POST', path, { ...asked, expectedCount: 2 })
    const again = await north.as('POST', path, { ...asked, expectedCount: 0 })
    const nothing = await north.as('POST', `${path}/count`, { all: true })

    expect([all.status, all.body]).toEqual([200, { batchNumber, documentCount: 2 }])
    expect(named.body).toEqual({ batchNumber, documentCount: 1 })
    expect(ended).toMatchObject(aProblem(409, { detail: `Document ${documentIds[0]} is FAILED` }))
    expect(more).toMatchObject(
      printRunConflict(
        `Print run ${batchNumber} has 2 such documents, more than 1. Nothing is recorded`,
      ),
    )
    expect(before).toEqual(keys.map(() => 'PRODUCTION'))
    expect(posted).toMatchObject({ status: 201, body: { documentCount: 2 } })
    expect(again.body).toEqual(posted.body)
    expect(nothing).toMatchObject(
      printRunConflict(`Print run ${batchNumber} has no missing document`),
    )
  })

  test('the count for the key of a recorded posting is that of the posting, so that it can be repeated safely', async () => {
    const { batchNumber, documentIds } = await north.anAbandonedRun(3)
    const other = await north.anAbandonedRun(2)
    const choice = { documentIds: documentIds.slice(1) }
    const asked = north.aPosting(choice)
    const path = `/print-runs/${batchNumber}/postings`
    const count = (body: object) => north.as('POST', `${path}/count`, body)

    const first = await count({ ...choice, postingKey: asked.postingKey })
    const posted = await north.as('POST', path, { ...asked, expectedCount: 2 })
    const repeated = await count({ ...choice, postingKey: asked.postingKey.toUpperCase() })
    const again = await north.as('POST', path, { ...asked, expectedCount: 2 })
    const withoutKey = await count(choice)
    const otherPath = `/print-runs/${other.batchNumber}/postings/count`
    const sameKey = { all: true, postingKey: asked.postingKey }
    const ofOther = await north.as('POST', otherPath, sameKey)

    expect([first.status, first.body]).toEqual([200, { batchNumber, documentCount: 2 }])
    expect(posted.status).toBe(201)
    expect([repeated.status, repeated.body]).toEqual([200, first.body])
    expect([again.status, again.body]).toEqual([201, posted.body])
    expect(withoutKey.status).toBe(409)
    expect(ofOther.body).toEqual({ batchNumber: other.batchNumber, documentCount: 2 })
  })

  test('counts answer while the run and its letters are locked', async () => {
    const { batchNumber, documentIds, keys } = await north.anAbandonedRun(3)
    const recallId = await north.recall(batchNumber, [documentIds[0]!])
    const choice = { documentIds: [documentIds[1]] }
    const client = await north.runs.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from print_run where batch_number = $1 for update', [batchNumber])
      await client.query('select from print_job where key = any ($1::uuid[]) for update', [keys])

      const counts = [
        await north.as('POST', `/print-runs/${batchNumber}/postings/count`, choice),
        await north.as('POST', `/print-runs/${batchNumber}/recalls/count`, choice),
        await north.as('POST', `/recalls/${recallId}/settle/count`, { allStopped: true }),
      ]

      const counted = { status: 200, body: { batchNumber, documentCount: 1 } }
      expect(counts).toMatchObject([counted, counted, counted])
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  test('201: posts documents that were too late to recall, although the provider is present', async () => {
    const { batchNumber, documentIds, keys } = await aRunInWork(2)
    const [left, other] = documentIds as [string, string]
    await north.settle(await north.recall(batchNumber, [left]), [left])

    const before = await north.show(batchNumber)
    const both = await north.post(batchNumber)
    const one = await north.post(batchNumber, { documentIds: [left] })

    const standings = before.body.unaccounted.map(({ standing }: { standing: string }) => standing)
    const unheard = 'has not been reported on'
    expect(standings.toSorted()).toEqual(
      [
        `Attempt 1 at document ${left} ${unheard}, and it was too late to recall it: record its posting on behalf of the provider`,
        `Attempt 1 at document ${other} ${unheard}: recall it, and settle the recall`,
      ].toSorted(),
    )
    const detail = new RegExp(
      `^Document ${other} must be posted by its provider: the last contact with north was at \\S+Z\\. If the provider cannot post it, recall `,
    )
    expect(both).toMatchObject(
      aProblem(409, { title: other, detail: expect.stringMatching(detail) }),
    )
    expect(one).toMatchObject({ status: 201, body: { documentCount: 1 } })
    expect((await north.statusesOf(keys)).toSorted()).toEqual(['DESPATCHED', 'PRODUCTION'])
  })

  test('409: documents with an outcome, spoiled or being recalled are named, and nothing is posted', async () => {
    const { batchNumber, documentIds, keys } = await north.anAbandonedRun(5)
    const [failed, spoiled, waiting, asked, free] = documentIds as [string, ...string[]]
    await north.setDocument(failed, `outcome = 'FAILED'`)
    await north.setDocument(spoiled!, `progress = 'SPOILED'`)
    await north.setDocument(waiting!, `progress = 'SPOILED'`)
    await north.runs.pool.query(
      `insert into reprint (batch_number, document_id, attempt, state, reason_code, requested_by)
       values ($1, $2, 2, 'WAITING', 'JAM', $3)`,
      [batchNumber, waiting, north.runs.consumer.consumerId],
    )
    const recallId = await north.recall(batchNumber, [asked!])

    const named = await north.post(batchNumber, { documentIds })
    const all = await north.post(batchNumber)

    const told = [
      [spoiled, `Attempt 1 at document ${spoiled} is SPOILED: recall it, and settle the recall`],
      [waiting, `Attempt 1 at document ${waiting} is SPOILED: decide on its reprint`],
      [
        asked,
        `Document ${asked} is being recalled. First settle recall ${recallId}, as too late for it`,
      ],
    ]
    const errorsOf = (answer: typeof all) =>
      answer.body.errors
        .map(({ title, detail }: { title: string; detail: string }) => [title, detail])
        .toSorted()
    expect([named.status, errorsOf(named)]).toEqual([
      409,
      [[failed, `Document ${failed} is FAILED`], ...told].toSorted(),
    ])
    expect([all.status, errorsOf(all)]).toEqual([409, told.toSorted()])
    expect(await north.statusesOf(keys)).toEqual(keys.map(() => 'PRODUCTION'))
    expect(await north.post(batchNumber, { documentIds: [free] })).toMatchObject({ status: 201 })
  })

  test.for<[string, (run: { batchNumber: string; documentIds: string[] }) => Promise<unknown>]>([
    ['asks for work', () => north.comeBack()],
    ['saves a posting', ({ batchNumber }) => north.postByProvider(batchNumber)],
    [
      'reports of one of its documents',
      ({ batchNumber, documentIds }) => north.report(batchNumber, [[documentIds[0]!, 'FETCHED']]),
    ],
  ])('409: its provider %s', async ([, act]) => {
    const run = await north.anAbandonedRun(2)
    await act(run)

    expect(await north.post(run.batchNumber)).toMatchObject({
      status: 409,
      body: { errors: run.documentIds.map(() => ({ code: 'PrintRunConflict' })) },
    })
    expect(await north.statusesOf(run.keys)).toEqual(['PRODUCTION', 'PRODUCTION'])
  })

  test('409: no document is missing, or the key belongs to another posting', async () => {
    const { batchNumber } = await north.anAbandonedRun()
    const first = north.aPosting()
    await north.post(batchNumber, first)

    const otherCarrier = await north.post(batchNumber, { ...first, carrier: 'Another' })
    const nothing = await north.post(batchNumber)

    expect(otherCarrier).toMatchObject(
      printRunConflict(`The postingKey ${first.postingKey} belongs to another posting`),
    )
    expect(nothing).toMatchObject(
      printRunConflict(`Print run ${batchNumber} has no missing document`),
    )
    expect(await north.recordedOf(batchNumber)).toHaveLength(1)
  })

  test.each(['anOpenRun', 'aReleasedRun', 'aClaimedRun', 'aRefusedRun'] as const)(
    '409: the run is not in production (%s)',
    async (make) => {
      const { batchNumber } = await north.runs[make]()
      const { body: run } = await north.show(batchNumber)

      expect(await north.post(batchNumber)).toMatchObject(
        printRunConflict(
          `Print run ${batchNumber} is ${run.state}: only letters of a run in production can be posted`,
        ),
      )
      await north.runs.gather()
    },
  )

  test.for<[body: object, title: string]>([
    [{}, 'documentIds'],
    [{ all: true, documentIds: ['D1'] }, 'documentIds'],
    [{ all: false }, 'all'],
    [{ all: true, handoverAt: '2999-01-31T17:30:00Z' }, 'handoverAt'],
    // before the claim
    [{ all: true, handoverAt: '2026-01-31T17:30:00Z' }, 'handoverAt'],
  ])('400: of %o, %s is refused', async ([body, title]) => {
    const { batchNumber } = await north.anAbandonedRun()

    expect(await north.post(batchNumber, body)).toMatchObject(aProblem(400, { title }))
  })

  test('400: the run does not have these documents; 409: they cannot be posted: the first hundred are named', async () => {
    const { documentIds: ofAnother } = await north.anAbandonedRun()
    const { batchNumber, documentIds } = await aRunInWork(120)
    const strangers = Array.from({ length: 4_000 }, (_, index) => `D-none-${index}`)

    const unknown = await north.post(batchNumber, {
      documentIds: [documentIds[0], ofAnother[0], ...strangers],
    })
    const notPostable = await north.post(batchNumber)

    const { errors } = unknown.body
    expect([unknown.status, errors.length]).toEqual([400, 100])
    expect(errors[0].detail).toBe(`documentIds[1] is not in print run ${batchNumber}`)
    expect([notPostable.status, notPostable.body.errors.length]).toEqual([409, 100])
  })
})
