import { saveClose } from '@despatch/store/print-run/close'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, printRunConflict } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))

const { asOperator: as } = administration
const note = 'The provider is gone'
const close = (batchNumber: string) => as('POST', `/print-runs/${batchNumber}/close`, { note })

async function recordedOf(batchNumber: string) {
  const events = await administration.audited(`action=print-run.closed&about=${batchNumber}`)
  return events.map(({ actor, detail }) => ({ actor, detail }))
}

async function setDocument(documentId: string, assignment: string) {
  await runs.pool.query(`update print_run_document set ${assignment} where document_id = $1`, [
    documentId,
  ])
}

describe('POST /print-runs/{batchNumber}/close', () => {
  test.each(['aClaimedRun', 'anAcknowledgedRun'] as const)(
    '200: closes a run of an absent provider (%s) after its recall is settled, and can be repeated',
    async (make) => {
      const { batchNumber } = await runs[make](2)
      const recall = { all: true, reason: 'no answer' }
      const asked = await as('POST', `/print-runs/${batchNumber}/recalls`, recall)
      await as('POST', `/recalls/${asked.body.recallId}/settle`, { allStopped: true, note })

      const closed = await close(batchNumber)
      const again = await close(batchNumber)
      const ofProvider = await saveClose(runs.db, { providerId: 'north', batchNumber })

      const actor = administration.actorOf('operator')
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

    const remedy = 'recall it, and settle the recall'
    const details = [
      `Attempt 1 at document ${printed} was reported as PRINTED: ${remedy}`,
      `Attempt 1 at document ${silent} has not been reported on: ${remedy}`,
    ]
    expect(status).toBe(409)
    expect(body.errors.map(({ detail }: { detail: string }) => detail).toSorted()).toEqual(
      details.toSorted(),
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
    await as('POST', `/print-runs/${batchNumber}/recalls`, { all: true, reason: 'not wanted' })
    const after = await close(batchNumber)

    const detail = `Attempt 1 at document ${documentId} was refused with the print run: reassign or recall the run`
    const code = 'DocumentsUnaccounted'
    expect(before).toMatchObject(aProblem(409, { code, title: documentId, detail }))
    expect(after).toMatchObject({ status: 200, body: { state: 'CLOSED' } })
  })

  test.each(['anOpenRun', 'aReleasedRun', 'aClaimedRun'] as const)(
    '409: the run is not acknowledged (%s)',
    async (make) => {
      const { batchNumber } = await runs[make]()
      const { body: run } = await as('GET', `/print-runs/${batchNumber}`)

      expect(await close(batchNumber)).toMatchObject(
        printRunConflict(
          `Print run ${batchNumber} is ${run.state}: only an acknowledged print run can be closed`,
        ),
      )
      await runs.gather()
    },
  )
})
