import { saveClose } from '@despatch/store/print-run/close'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))

const as = (method: 'GET' | 'POST', path: string, body?: unknown) =>
  administration.as('operator', method, path, body)
const note = 'The provider is gone'
const close = (batchNumber: string) => as('POST', `/print-runs/${batchNumber}/close`, { note })

async function recordedOf(batchNumber: string) {
  const { body } = await administration.asAdmin('GET', '/audit-events?limit=100')
  return body.auditEvents
    .filter(
      (event: { action: string; detail: { batchNumber?: string } }) =>
        event.action === 'print-run.closed' && event.detail.batchNumber === batchNumber,
    )
    .map(({ actor, detail }: { actor: string; detail: object }) => ({ actor, detail }))
}

async function setDocument(documentId: string, assignment: string) {
  await runs.pool.query(`update print_run_document set ${assignment} where document_id = $1`, [
    documentId,
  ])
}

describe('POST /print-runs/{batchNumber}/close', () => {
  test.each([
    { what: 'has not acknowledged', make: runs.aClaimedRun },
    { what: 'has acknowledged', make: runs.anAcknowledgedRun },
  ])(
    '200: closes a run of an absent provider that it $what after its recall is settled, and can be repeated',
    async ({ make }) => {
      const { batchNumber } = await make(2)
      const asked = await as('POST', `/print-runs/${batchNumber}/recalls`, {
        all: true,
        reason: 'no answer',
      })
      await as('POST', `/recalls/${asked.body.recallId}/settle`, { allStopped: true, note })

      const closed = await close(batchNumber)
      const again = await close(batchNumber)
      const ofProvider = await saveClose(runs.db, { providerId: 'north', batchNumber })

      const actor = `consumer:${administration.ids.operator}`
      expect(closed).toMatchObject({
        status: 200,
        body: {
          batchNumber,
          state: 'CLOSED',
          closedAt: expect.any(String),
          closedBy: actor,
          closedByUserName: 'operator',
          account: { expected: 2, recalled: 2, missing: 0 },
        },
      })
      expect([again.status, again.body]).toEqual([200, closed.body])
      expect(ofProvider).toMatchObject({ kind: 'closed', closedAt: new Date(closed.body.closedAt) })
      expect(await recordedOf(batchNumber)).toEqual([
        { actor, detail: { batchNumber, providerId: 'north', note } },
      ])
    },
  )

  test('200: a run that its provider has closed stays closed by the provider', async () => {
    const { batchNumber, documentIds } = await runs.anAcknowledgedRun()
    await setDocument(documentIds[0]!, `outcome = 'FAILED'`)
    await saveClose(runs.db, { providerId: 'north', batchNumber })

    const { status, body } = await close(batchNumber)

    expect([status, body]).toMatchObject([200, { state: 'CLOSED', closedBy: 'provider:north' }])
    expect(body).not.toHaveProperty('closedByUserName')
    expect(await recordedOf(batchNumber)).toEqual([])
  })

  test('409: documents are unaccounted for, and each is named with a remedy', async () => {
    const { batchNumber, documentIds } = await runs.anAcknowledgedRun(3)
    const [failed, printed, silent] = documentIds as [string, string, string]
    await setDocument(failed, `outcome = 'FAILED'`)
    await setDocument(printed, `progress = 'PRINTED'`)

    const { status, body } = await close(batchNumber)

    const entry = { status: '409 CONFLICT', code: 'DocumentsUnaccounted' }
    const remedy = 'recall it, and settle the recall'
    expect(status).toBe(409)
    expect(body.errors).toHaveLength(2)
    expect(body.errors).toEqual(
      expect.arrayContaining([
        {
          ...entry,
          title: printed,
          detail: `Attempt 1 at document ${printed} was reported as PRINTED: ${remedy}`,
        },
        {
          ...entry,
          title: silent,
          detail: `Attempt 1 at document ${silent} has not been reported on: ${remedy}`,
        },
      ]),
    )
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({
      body: { state: 'ACCEPTED' },
    })
    expect(await recordedOf(batchNumber)).toEqual([])
  })

  test('409: the provider refused the whole run; 200: the run was recalled', async () => {
    const { batchNumber, documentIds } = await runs.aRefusedRun()
    const [documentId] = documentIds

    const before = await close(batchNumber)
    await as('POST', `/print-runs/${batchNumber}/recalls`, {
      all: true,
      reason: 'not wanted',
    })
    const after = await close(batchNumber)

    expect(before).toMatchObject(
      refusal(
        '409 CONFLICT',
        'DocumentsUnaccounted',
        `Attempt 1 at document ${documentId} was refused with the print run: reassign or recall the run`,
        documentId,
      ),
    )
    expect(after).toMatchObject({ status: 200, body: { state: 'CLOSED' } })
  })

  test.each(['anOpenRun', 'aReleasedRun', 'aClaimedRun'] as const)(
    '409: the run is not acknowledged (%s)',
    async (make) => {
      const { batchNumber } = await runs[make]()
      const { body: run } = await as('GET', `/print-runs/${batchNumber}`)

      expect(await close(batchNumber)).toMatchObject(
        refusal(
          '409 CONFLICT',
          'PrintRunConflict',
          `Print run ${batchNumber} is ${run.state}: only an acknowledged print run can be closed`,
          'Not possible now',
        ),
      )
      await runs.gather()
    },
  )
})
