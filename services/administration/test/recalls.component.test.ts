import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, printRunConflict } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))

const { asOperator: as } = administration
const operator = administration.actorOf('operator')

const recordedOf = async (batchNumber: string) =>
  (await administration.audited(`about=${batchNumber}`)).slice(0, 1)

describe('POST /print-runs/{batchNumber}/recalls', () => {
  test.each([
    ['aReleasedRun', 'RELEASED', { state: 'CLOSED', documentCount: 0 }],
    ['aRefusedRun', 'REFUSED', { state: 'REFUSED', account: { recalled: 3, missing: 0 } }],
  ] as const)('200: documents are rejected at once (%s)', async (make, state, ended) => {
    const { batchNumber, documentIds, keys } = await runs[make](3)
    const path = `/print-runs/${batchNumber}/recalls`

    const one = await as('POST', path, { documentIds: [documentIds[0]], reason: 'wrong fee' })
    const left = await as('GET', `/print-runs/${batchNumber}`)
    const rest = await as('POST', path, { all: true, reason: 'wrong letter' })
    const again = await as('POST', path, { all: true, reason: 'wrong letter' })

    expect([one.status, one.body]).toEqual([200, { batchNumber, documentCount: 1 }])
    expect(left.body).toMatchObject({ state })
    expect([rest.status, rest.body]).toEqual([200, { batchNumber, documentCount: 2 }])
    expect(again.status).toBe(409)
    expect((await runs.statuses(keys)).toSorted()).toEqual([
      ['REJECTED', 'Recalled: wrong fee'],
      ['REJECTED', 'Recalled: wrong letter'],
      ['REJECTED', 'Recalled: wrong letter'],
    ])
    expect((await as('GET', `/print-runs/${batchNumber}`)).body).toMatchObject(ended)
    expect(await recordedOf(batchNumber)).toMatchObject([
      {
        action: 'print-run.recalled',
        detail: { batchNumber, documentCount: 2, reason: 'wrong letter' },
      },
    ])
  })

  test('202: the provider of a claimed run is asked once for each document', async () => {
    const { batchNumber, documentIds, keys } = await runs.anAcknowledgedRun(3)
    const path = `/print-runs/${batchNumber}/recalls`

    const one = await as('POST', path, { documentIds: [documentIds[1]], reason: 'wrong fee' })
    const rest = await as('POST', path, { all: true, reason: 'all of them' })
    const again = await as('POST', path, { all: true, reason: 'all of them' })

    const { recallId } = rest.body
    expect(one).toMatchObject({ status: 202, body: { batchNumber, documentCount: 1 } })
    expect(rest).toMatchObject({ status: 202, body: { batchNumber, documentCount: 2 } })
    expect(again).toMatchObject(
      printRunConflict(
        `Print run ${batchNumber} has no such document that is neither reconciled nor already being recalled`,
      ),
    )
    expect((await runs.statuses(keys)).map(([status]) => status)).toEqual(
      keys.map(() => 'PRODUCTION'),
    )
    expect(await recordedOf(batchNumber)).toEqual([
      {
        actor: operator,
        action: 'print-run.recall-asked',
        detail: { batchNumber, recallId, documentCount: 2, reason: 'all of them' },
      },
    ])
    const { rows } = await runs.pool.query(
      `select document_id, state from recall_document where recall_id = $1 order by document_id`,
      [recallId],
    )
    expect(rows).toEqual([
      { document_id: documentIds[0], state: 'ASKED' },
      { document_id: documentIds[2], state: 'ASKED' },
    ])
  })

  test('200: documents recalled before the refusal are recalled with the others', async () => {
    const { batchNumber, documentIds, keys } = await runs.aClaimedRun(2)
    const path = `/print-runs/${batchNumber}/recalls`
    const asked = await as('POST', path, { documentIds: [documentIds[0]], reason: 'wrong fee' })
    await runs.acknowledge('north', batchNumber, { refusal: 'The press is on fire' })

    const rest = await as('POST', path, { all: true, reason: 'wrong letter' })

    expect([rest.status, rest.body]).toEqual([200, { batchNumber, documentCount: 2 }])
    expect((await runs.statuses(keys)).toSorted()).toEqual([
      ['REJECTED', 'Recalled: wrong fee'],
      ['REJECTED', 'Recalled: wrong letter'],
    ])
    const { body } = await as('GET', '/recalls?limit=1')
    expect(body.recalls).toMatchObject([
      {
        recallId: asked.body.recallId,
        state: 'ACCEPTED',
        recalledCount: 1,
        answerReason: 'The provider refused the print run',
      },
    ])
  })

  test.each(['aReleasedRun', 'anAcknowledgedRun', 'aRefusedRun'] as const)(
    'a recall counts its documents (%s): 409 and no recall if there are more than agreed',
    async (make) => {
      const { batchNumber, documentIds, keys } = await runs[make](3)
      const path = `/print-runs/${batchNumber}/recalls`
      const before = await runs.statuses(keys)
      const asked = { all: true, reason: 'wrong fee' }

      const counted = await as('POST', `${path}/count`, { all: true })
      const named = await as('POST', `${path}/count`, { documentIds: [documentIds[0]] })
      const other = await as('POST', path, { ...asked, expectedCount: 2 })

      expect([counted.status, counted.body]).toEqual([200, { batchNumber, documentCount: 3 }])
      expect(named.body).toMatchObject({ documentCount: 1 })
      const detail = `Print run ${batchNumber} has 3 such documents, more than 2. Nothing is recalled`
      expect(other).toMatchObject(aProblem(409, { detail }))
      expect(await runs.statuses(keys)).toEqual(before)
      const { body } = await as('GET', `/recalls?batchNumber=${batchNumber}`)
      expect(body.recalls).toEqual([])
      const done = await as('POST', path, { ...asked, expectedCount: 3 })
      expect(done.body).toMatchObject({ documentCount: 3 })
    },
  )

  test('the count of a refused run includes open recalls that end with it', async () => {
    const { batchNumber, documentIds } = await runs.aClaimedRun(3)
    const path = `/print-runs/${batchNumber}/recalls`
    await as('POST', path, { documentIds: [documentIds[0]], reason: 'wrong fee' })
    await runs.acknowledge('north', batchNumber, { refusal: 'The press is on fire' })
    const choice = { documentIds: [documentIds[1]] }

    const counted = await as('POST', `${path}/count`, choice)
    const done = await as('POST', path, { ...choice, reason: 'wrong fee' })

    expect(counted.body).toEqual({ batchNumber, documentCount: 2 })
    expect(done.body).toEqual({ batchNumber, documentCount: 2 })
    expect((await as('POST', `${path}/count`, { all: true })).body.documentCount).toBe(1)
    expect((await as('POST', `${path}/count`, choice)).status).toBe(409)
  })

  test.each([{}, { documentIds: [] }])('400: %o does not mean all documents', async (choice) => {
    const { batchNumber, keys } = await runs.aReleasedRun(2)
    const asked = { ...choice, reason: 'x' }

    const answer = await as('POST', `/print-runs/${batchNumber}/recalls`, asked)

    expect(answer).toMatchObject(aProblem(400, { title: 'documentIds' }))
    expect((await runs.statuses(keys)).map(([status]) => status)).toEqual(['PENDING', 'PENDING'])
  })

  test('400: the run does not have the document', async () => {
    const { batchNumber, documentIds } = await runs.aReleasedRun()
    const asked = { documentIds: [...documentIds, 'D1'], reason: 'x' }

    const detail = `documentIds[1] is not in print run ${batchNumber}`
    expect(await as('POST', `/print-runs/${batchNumber}/recalls`, asked)).toMatchObject(
      aProblem(400, { detail }),
    )
  })
})

test('GET /recalls: 200, newest first, of a state, page by page', async () => {
  const { batchNumber } = await runs.anAcknowledgedRun(2)
  const earlier = await runs.anAcknowledgedRun()
  const recall = (of: string, reason: string) =>
    as('POST', `/print-runs/${of}/recalls`, { all: true, reason })
  await recall(earlier.batchNumber, 'earlier')
  const asked = await recall(batchNumber, 'wrong fee')

  const open = await as('GET', '/recalls?state=OPEN&limit=1')
  const next = await as('GET', `/recalls?limit=1&cursor=${open.body.nextCursor}`)
  const rejected = await as('GET', '/recalls?state=REJECTED')
  const ofRun = await as('GET', `/recalls?batchNumber=${earlier.batchNumber}`)

  expect(ofRun.body.recalls).toMatchObject([{ reason: 'earlier' }])
  expect(open).toMatchObject({ status: 200 })
  expect(open.body).toEqual({
    recalls: [
      {
        recallId: asked.body.recallId,
        batchNumber,
        providerId: 'north',
        state: 'OPEN',
        reason: 'wrong fee',
        documentCount: 2,
        recalledCount: 0,
        tooLateCount: 0,
        stoppableCount: 2,
        requestedAt: expect.any(String),
        requestedBy: operator,
      },
    ],
    nextCursor: asked.body.recallId,
  })
  expect(next.body.recalls).toMatchObject([{ reason: 'earlier', documentCount: 1 }])
  expect(rejected.body).toEqual({ recalls: [] })
})
