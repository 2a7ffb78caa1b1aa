import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())
const { acknowledge, rows, statusesOf } = fulfilment

const unreadable = { reasonCode: 'UNREADABLE', reason: 'The font is missing' }
const refusalOf = (documentId: string) => ({ refusals: [{ documentId, ...unreadable }] })

describe('200', () => {
  test('accepts a complete run', async () => {
    const run = await fulfilment.aClaimedRun({}, {})

    const { status, body } = await acknowledge(run)

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        batchNumber: run.batchNumber,
        state: 'ACCEPTED',
        acceptedCount: 2,
        refusedCount: 0,
        acknowledgedAt: expect.stringMatching(/Z$/),
      },
    })
    expect(await statusesOf(run)).toEqual(['PRODUCTION', 'PRODUCTION'])
  })

  test('rejects the print job of a refused document with the reason, and continues the others', async () => {
    const run = await fulfilment.aClaimedRun({}, { wantsCallback: true })
    const { manifest, printJobs } = run
    const refused = manifest.documents.find(
      ({ sha256 }: { sha256: string }) => sha256 === printJobs[1]!.sha256,
    )

    const { body } = await acknowledge(run, refusalOf(refused.documentId))

    expect(body).toMatchObject({
      state: 'ACCEPTED_WITH_EXCEPTIONS',
      acceptedCount: 1,
      refusedCount: 1,
    })
    expect(await fulfilment.findJob(printJobs[1]!.id)).toMatchObject({
      status: 'REJECTED',
      comment: 'Refused by the print provider: UNREADABLE: The font is missing',
    })
    expect(await statusesOf(run)).toEqual(['PRODUCTION', 'REJECTED'])
    expect(
      await rows('select status, state from callback where print_job_key = $1', printJobs[1]!.key),
    ).toEqual([{ status: 'REJECTED', state: 'DUE' }])
  })

  test('returns the same answer to a repetition, without further transitions', async () => {
    const run = await fulfilment.aClaimedRun({}, {})
    const refusal = refusalOf(run.documentIds[0])

    const [first, atOnce] = await Promise.all([
      acknowledge(run, refusal),
      acknowledge(run, refusal),
    ])
    const later = await acknowledge(run, refusal)

    expect([first.status, atOnce.body, later.body]).toEqual([200, first.body, first.body])
    expect(
      await rows(
        `select count(*) as events from print_job_event where transition = 'reject' and print_job_key = any ($1)`,
        run.printJobs.map(({ key }) => key),
      ),
    ).toEqual([{ events: 1 }])
  })
})

const refusal = { reasonCode: 'NO-PAPER', reason: 'The stationery has not come' }

describe('a run that is refused completely', () => {
  test('waits for an operator, and its print jobs keep their status', async () => {
    const run = await fulfilment.aClaimedRun({}, {})
    const { batchNumber } = run

    const first = await acknowledge(run, { refusal })
    const repeat = await acknowledge(run, { refusal })

    expect(first).toMatchObject({
      status: 200,
      body: { batchNumber, state: 'REFUSED', acceptedCount: 0, refusedCount: 0 },
    })
    expect(repeat.body).toEqual(first.body)
    expect(await statusesOf(run)).toEqual(['PRODUCTION', 'PRODUCTION'])
    expect(
      await rows(
        `select state, refusal, refused_count, (select count(*) from print_run_document document
            where document.batch_number = run.batch_number and outcome is not null) as outcomes
          from print_run run where batch_number = $1`,
        batchNumber,
      ),
    ).toEqual([
      {
        state: 'REFUSED',
        refusal: 'NO-PAPER: The stationery has not come',
        refused_count: 0,
        outcomes: 0,
      },
    ])
    const { body } = await fulfilment.call('GET', '/print-runs?state=REFUSED')
    expect(body.printRuns).toContainEqual(expect.objectContaining({ batchNumber }))
  })

  test('cannot have refusals of single documents as well', async () => {
    const run = await fulfilment.aClaimedRun({})

    const { status, body } = await acknowledge(run, { refusal, ...refusalOf(run.documentIds[0]) })

    expect({ status, body }).toEqual(
      aProblem(400, {
        status: '400 BAD_REQUEST',
        code: 'Invalid',
        title: 'refusals',
        detail: 'refusals must be left out when the whole run is refused',
      }),
    )
  })
})

describe('a document that was recalled before the acknowledgement', () => {
  async function aRunWithARecall() {
    const run = await fulfilment.aClaimedRun({}, {})
    await rows(
      `update print_run_document set outcome = 'RECALLED' where document_id = $1`,
      run.documentIds[0],
    )
    return run
  }

  test('keeps its outcome when it is refused too', async () => {
    const run = await aRunWithARecall()

    const { status } = await acknowledge(run, refusalOf(run.documentIds[0]))

    expect(status).toBe(200)
    const outcomes =
      'select outcome from print_run_document where batch_number = $1 order by sequence'
    expect(await rows(outcomes, run.batchNumber)).toEqual([
      { outcome: 'RECALLED' },
      { outcome: null },
    ])
  })

  test('leaves the run reconciled when all other documents are refused', async () => {
    const run = await aRunWithARecall()

    const { body } = await acknowledge(run, refusalOf(run.documentIds[1]))

    expect(body).toMatchObject({ state: 'ACCEPTED_WITH_EXCEPTIONS', refusedCount: 1 })
    expect(
      await rows('select state from print_run where batch_number = $1', run.batchNumber),
    ).toEqual([{ state: 'RECONCILED' }])
  })
})

test.each([
  ['manifestDigest', '0'.repeat(64)],
  ['documentCount', 3],
  ['sheetCount', 1],
])('409: a %s that differs from the manifest changes nothing', async (field, value) => {
  const run = await fulfilment.aClaimedRun({}, {})

  const { status, body } = await acknowledge(run, {
    ...refusalOf(run.documentIds[0]),
    [field]: value,
  })

  expect({ status, body }).toEqual(
    aProblem(409, {
      status: '409 CONFLICT',
      code: 'ManifestMismatch',
      title: 'Acknowledgement does not fit the manifest',
      detail: `${field} differs from the manifest of print run ${run.batchNumber}; nothing has changed`,
    }),
  )
  expect(await statusesOf(run)).toEqual(['PRODUCTION', 'PRODUCTION'])
  expect((await acknowledge(run)).status).toBe(200)
})

test('409: the run has another acknowledgement, or is not claimed', async () => {
  const [accepted, refused] = [
    await fulfilment.anAcknowledgedRun({}),
    await fulfilment.aClaimedRun({}),
  ]
  await acknowledge(refused, { refusal })
  const { batchNumber } = await fulfilment.aReleasedRun({})

  const answers = [
    await acknowledge(accepted, refusalOf(accepted.documentIds[0])),
    await acknowledge(refused),
    await acknowledge({ batchNumber, acknowledgement: refused.acknowledgement }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([409, 409, 409])
})

test('409: a reassigned run must not be printed, despite earlier answers; only its refusal is repeated', async () => {
  const claimed = await fulfilment.aClaimedRun({})
  const accepted = await fulfilment.anAcknowledgedRun({})
  const refused = await fulfilment.aClaimedRun({})
  const first = await acknowledge(refused, { refusal })
  for (const run of [claimed, accepted, refused]) await fulfilment.voidRun(run)

  expect(refusals(await acknowledge(claimed), await acknowledge(accepted))).toEqual([
    [409, 'PrintRunNotInProduction'],
    [409, 'PrintRunNotInProduction'],
  ])
  expect(await acknowledge(refused, { refusal })).toMatchObject({ status: 200, body: first.body })
})

test('400: a refused document is not in the run', async () => {
  const run = await fulfilment.aClaimedRun({})
  const [documentId] = run.documentIds

  const { status, body } = await acknowledge(run, {
    refusals: [documentId, 'D1'].map((id) => ({ documentId: id, ...unreadable })),
  })

  expect({ status, body }).toEqual(
    aProblem(400, {
      status: '400 BAD_REQUEST',
      code: 'NotFound',
      title: 'refusals[1].documentId',
      detail: `refusals[1].documentId is not a document of print run ${run.batchNumber}`,
    }),
  )
  expect(await statusesOf(run)).toEqual(['PRODUCTION'])
})
