import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const acknowledge = (batchNumber: string, body: unknown, options: object = {}) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/acknowledgement`, { body, ...options })
const unreadable = { reasonCode: 'UNREADABLE', reason: 'The font is missing' }

describe('200', () => {
  test('accepts a complete run', async () => {
    const { batchNumber, acknowledgement, printJobs } = await fulfilment.aClaimedRun({}, {})

    const { status, body } = await acknowledge(batchNumber, acknowledgement)

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        batchNumber,
        state: 'ACCEPTED',
        acceptedCount: 2,
        refusedCount: 0,
        acknowledgedAt: expect.stringMatching(/Z$/),
      },
    })
    expect(await fulfilment.statuses(printJobs.map(({ key }) => key))).toEqual([
      'PRODUCTION',
      'PRODUCTION',
    ])
  })

  test('rejects the print job of a refused document with the reason, and continues the others', async () => {
    const run = await fulfilment.aClaimedRun({}, { wantsCallback: true })
    const { batchNumber, acknowledgement, manifest, printJobs } = run
    const refused = manifest.documents.find(
      ({ sha256 }: { sha256: string }) => sha256 === printJobs[1]!.sha256,
    )
    const body = {
      ...acknowledgement,
      refusals: [{ documentId: refused.documentId, ...unreadable }],
    }

    const answer = await acknowledge(batchNumber, body)

    expect(answer.body).toMatchObject({
      state: 'ACCEPTED_WITH_EXCEPTIONS',
      acceptedCount: 1,
      refusedCount: 1,
    })
    expect(await fulfilment.findJob(printJobs[1]!.id)).toMatchObject({
      status: 'REJECTED',
      comment: 'Refused by the print provider: UNREADABLE: The font is missing',
    })
    expect(await fulfilment.statuses([printJobs[0]!.key])).toEqual(['PRODUCTION'])
    const { rows } = await fulfilment.database.pool.query(
      'select status, state from callback where print_job_key = $1',
      [printJobs[1]!.key],
    )
    expect(rows).toEqual([{ status: 'REJECTED', state: 'DUE' }])
  })

  test('refuses a run all of whose documents are refused', async () => {
    const { batchNumber, acknowledgement, manifest } = await fulfilment.aClaimedRun({})
    const refusals = [{ documentId: manifest.documents[0].documentId, ...unreadable }]

    const { body } = await acknowledge(batchNumber, { ...acknowledgement, refusals })

    expect(body).toMatchObject({ state: 'REFUSED', acceptedCount: 0, refusedCount: 1 })
  })

  test('returns the same answer to a repetition, without further transitions', async () => {
    const { batchNumber, acknowledgement, manifest, printJobs } = await fulfilment.aClaimedRun(
      {},
      {},
    )
    const refusals = [{ documentId: manifest.documents[0].documentId, ...unreadable }]
    const body = { ...acknowledgement, refusals }

    const [first, atOnce] = await Promise.all([
      acknowledge(batchNumber, body),
      acknowledge(batchNumber, body),
    ])
    const later = await acknowledge(batchNumber, body)

    expect([first.status, atOnce.body, later.body]).toEqual([200, first.body, first.body])
    const { rows } = await fulfilment.database.pool.query(
      `select count(*) as events from print_job_event where transition = 'reject' and print_job_key = any ($1)`,
      [printJobs.map(({ key }) => key)],
    )
    expect(rows).toEqual([{ events: 1 }])
  })
})

describe('a run that is refused completely', () => {
  const refusal = { reasonCode: 'NO-PAPER', reason: 'The stationery has not come' }

  test('waits for an operator, and its print jobs keep their status', async () => {
    const { batchNumber, acknowledgement, printJobs } = await fulfilment.aClaimedRun({}, {})

    const first = await acknowledge(batchNumber, { ...acknowledgement, refusal })
    const repeat = await acknowledge(batchNumber, { ...acknowledgement, refusal })

    expect(first).toMatchObject({
      status: 200,
      body: { batchNumber, state: 'REFUSED', acceptedCount: 0, refusedCount: 0 },
    })
    expect(repeat.body).toEqual(first.body)
    expect(await fulfilment.statuses(printJobs.map(({ key }) => key))).toEqual([
      'PRODUCTION',
      'PRODUCTION',
    ])
    const { rows } = await fulfilment.database.pool.query(
      `select state, refusal, refused_count, (select count(*) from print_run_document document
          where document.batch_number = run.batch_number and outcome is not null) as outcomes
        from print_run run where batch_number = $1`,
      [batchNumber],
    )
    expect(rows).toEqual([
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

  test('cannot be accepted afterwards', async () => {
    const { batchNumber, acknowledgement } = await fulfilment.aClaimedRun({})
    await acknowledge(batchNumber, { ...acknowledgement, refusal })

    expect((await acknowledge(batchNumber, acknowledgement)).status).toBe(409)
  })

  test('and then reassigned returns the lost response again', async () => {
    const { batchNumber, acknowledgement } = await fulfilment.aClaimedRun({})
    const first = await acknowledge(batchNumber, { ...acknowledgement, refusal })
    await moveAway(batchNumber)

    const repeat = await acknowledge(batchNumber, { ...acknowledgement, refusal })

    expect([repeat.status, repeat.body]).toEqual([200, first.body])
  })

  test('cannot have refusals of single documents as well', async () => {
    const { batchNumber, acknowledgement, manifest } = await fulfilment.aClaimedRun({})
    const refusals = [{ documentId: manifest.documents[0].documentId, ...unreadable }]

    const { status, body } = await acknowledge(batchNumber, {
      ...acknowledgement,
      refusal,
      refusals,
    })

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
  test('keeps its outcome when it is refused too', async () => {
    const { batchNumber, acknowledgement, manifest } = await fulfilment.aClaimedRun({}, {})
    const [recalled, other] = manifest.documents.map(
      ({ documentId }: { documentId: string }) => documentId,
    )
    await recall([recalled])
    const refusals = [{ documentId: recalled, ...unreadable }]

    const { status } = await acknowledge(batchNumber, { ...acknowledgement, refusals })

    expect(status).toBe(200)
    const { rows } = await fulfilment.database.pool.query(
      'select document_id, outcome from print_run_document where batch_number = $1 order by sequence',
      [batchNumber],
    )
    expect(rows).toEqual([
      { document_id: recalled, outcome: 'RECALLED' },
      { document_id: other, outcome: null },
    ])
  })

  test('leaves the run reconciled when all other documents are refused', async () => {
    const { batchNumber, acknowledgement, manifest } = await fulfilment.aClaimedRun({}, {})
    const [recalled, other] = manifest.documents.map(
      ({ documentId }: { documentId: string }) => documentId,
    )
    await recall([recalled])
    const refusals = [{ documentId: other, ...unreadable }]

    const { body } = await acknowledge(batchNumber, { ...acknowledgement, refusals })

    expect(body).toMatchObject({ state: 'ACCEPTED_WITH_EXCEPTIONS', refusedCount: 1 })
    const { rows } = await fulfilment.database.pool.query(
      'select state from print_run where batch_number = $1',
      [batchNumber],
    )
    expect(rows).toEqual([{ state: 'RECONCILED' }])
  })

  const recall = (documentIds: string[]) =>
    fulfilment.database.pool.query(
      `update print_run_document set outcome = 'RECALLED' where document_id = any ($1)`,
      [documentIds],
    )
})

const moveAway = (batchNumber: string) =>
  fulfilment.database.pool.query(
    `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
    [batchNumber],
  )

const wrong: [field: string, value: unknown][] = [
  ['manifestDigest', '0'.repeat(64)],
  ['documentCount', 3],
  ['sheetCount', 1],
]

describe('409', () => {
  test.for(wrong)('a %s that differs from the manifest changes nothing', async ([field, value]) => {
    const { batchNumber, acknowledgement, manifest, printJobs } = await fulfilment.aClaimedRun(
      {},
      {},
    )
    const refusals = [{ documentId: manifest.documents[0].documentId, ...unreadable }]

    const { status, body } = await acknowledge(batchNumber, {
      ...acknowledgement,
      refusals,
      [field]: value,
    })

    expect({ status, body }).toEqual(
      aProblem(409, {
        status: '409 CONFLICT',
        code: 'ManifestMismatch',
        title: 'Acknowledgement does not fit the manifest',
        detail: `${field} differs from the manifest of print run ${batchNumber}; nothing has changed`,
      }),
    )
    expect(await fulfilment.statuses(printJobs.map(({ key }) => key))).toEqual([
      'PRODUCTION',
      'PRODUCTION',
    ])
    expect((await acknowledge(batchNumber, acknowledgement)).status).toBe(200)
  })

  test('an acknowledgement differs from the earlier one', async () => {
    const { batchNumber, acknowledgement, manifest } = await fulfilment.anAcknowledgedRun({})
    const refusals = [{ documentId: manifest.documents[0].documentId, ...unreadable }]

    const { status } = await acknowledge(batchNumber, { ...acknowledgement, refusals })

    expect(status).toBe(409)
  })

  test('a reassigned run must not be printed, despite earlier answers', async () => {
    const claimed = await fulfilment.aClaimedRun({})
    const accepted = await fulfilment.anAcknowledgedRun({})
    await moveAway(claimed.batchNumber)
    await moveAway(accepted.batchNumber)

    const answers = [
      await acknowledge(claimed.batchNumber, claimed.acknowledgement),
      await acknowledge(accepted.batchNumber, accepted.acknowledgement),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [409, 'PrintRunNotInProduction'],
      [409, 'PrintRunNotInProduction'],
    ])
  })

  test('a run is not claimed', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({})
    const body = { documentCount: 1, sheetCount: 1, manifestDigest: '0'.repeat(64) }

    expect((await acknowledge(batchNumber, body)).status).toBe(409)
  })
})

describe('400', () => {
  test('a refused document is not in the run', async () => {
    const { batchNumber, acknowledgement, manifest, printJobs } = await fulfilment.aClaimedRun({})
    const refusals = [
      { documentId: manifest.documents[0].documentId, ...unreadable },
      { documentId: 'D1', ...unreadable },
    ]

    const { status, body } = await acknowledge(batchNumber, { ...acknowledgement, refusals })

    expect({ status, body }).toEqual(
      aProblem(400, {
        status: '400 BAD_REQUEST',
        code: 'NotFound',
        title: 'refusals[1].documentId',
        detail: `refusals[1].documentId is not a document of print run ${batchNumber}`,
      }),
    )
    expect(await fulfilment.statuses([printJobs[0]!.key])).toEqual(['PRODUCTION'])
  })
})

describe('404', () => {
  test('the run belongs to another provider', async () => {
    const { batchNumber, acknowledgement } = await fulfilment.aClaimedRun({})

    const { status } = await acknowledge(batchNumber, acknowledgement, { provider: 'south' })

    expect(status).toBe(404)
  })
})
