import { answerRecall } from '@despatch/store/recall/answer'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))

const { asOperator: as } = administration
const note = 'by telephone'
const settle = (recallId: string, body: object) =>
  as('POST', `/recalls/${recallId}/settle`, { note, ...body })

async function anOpenRecall(letters: number) {
  const run = await runs.anAcknowledgedRun(letters)
  const asked = { all: true, reason: 'wrong fee' }
  const { body } = await as('POST', `/print-runs/${run.batchNumber}/recalls`, asked)
  return { ...run, recallId: body.recallId as string }
}

const answerOfProvider = (recallId: string, tooLate: readonly string[] = []) =>
  answerRecall(runs.db, {
    providerId: 'north',
    recallId,
    tooLate,
    answerHash: Buffer.from(JSON.stringify(tooLate)),
  })

async function recordedOf(recallId: string) {
  const events = await administration.audited(`action=recall.settled&about=${recallId}`)
  return events.map(({ actor, detail }) => ({ actor, detail }))
}

const answered = (recallId: string, state: string) =>
  refusal(
    '409 CONFLICT',
    'RecallAnswered',
    `Recall ${recallId} already has a different answer: it is ${state}`,
    'Recall has been answered',
  )

describe('POST /recalls/{recallId}/settle', () => {
  test('200: stopped documents are recalled and their print jobs rejected, and a repetition is safe', async () => {
    const { recallId, batchNumber, documentIds, keys } = await anOpenRecall(3)
    const tooLate = [documentIds[1]!]

    const settled = await settle(recallId, { tooLate })
    const again = await settle(recallId, { tooLate: [...tooLate, ...tooLate] })

    const actor = administration.actorOf('operator')
    expect([settled.status, settled.body]).toEqual([
      200,
      {
        recallId,
        batchNumber,
        providerId: 'north',
        state: 'PARTLY_ACCEPTED',
        reason: 'wrong fee',
        documentCount: 3,
        recalledCount: 2,
        tooLateCount: 1,
        stoppableCount: 0,
        requestedAt: expect.any(String),
        requestedBy: actor,
        answeredAt: expect.any(String),
        answerReason: 'by telephone',
      },
    ])
    expect([again.status, again.body]).toEqual([200, settled.body])
    expect(await runs.statuses(keys)).toEqual([
      ['PRODUCTION', null],
      ['REJECTED', 'Recalled: wrong fee'],
      ['REJECTED', 'Recalled: wrong fee'],
    ])
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({
      body: { state: 'IN_PRODUCTION', account: { recalled: 2, missing: 1 } },
    })
    expect(await recordedOf(recallId)).toEqual([
      {
        actor,
        detail: {
          recallId,
          batchNumber,
          providerId: 'north',
          state: 'PARTLY_ACCEPTED',
          recalledCount: 2,
          tooLateCount: 1,
          note: 'by telephone',
        },
      },
    ])
  })

  test('409: more documents would be stopped than agreed, and nothing is settled; a repetition requires no count', async () => {
    const { recallId, batchNumber, documentIds, keys } = await anOpenRecall(4)
    const [ended, left] = documentIds as [string, string]
    await runs.pool.query(
      `update print_run_document set outcome = 'FAILED' where batch_number = $1 and document_id = $2`,
      [batchNumber, ended],
    )
    const count = (choice: object) => as('POST', `/recalls/${recallId}/settle/count`, choice)

    const all = await count({ allStopped: true })
    const others = await count({ tooLate: [left] })
    const withEnded = await count({ tooLate: [left, ended, ended] })
    const fewer = await settle(recallId, { tooLate: [left], expectedCount: 1 })
    const before = await runs.statuses(keys)
    const settled = await settle(recallId, { tooLate: [left], expectedCount: 2 })
    const again = await settle(recallId, { tooLate: [left], expectedCount: 0 })
    const repeated = await count({ tooLate: [left, left] })
    const late = await count({ allStopped: true })

    const counted = { recallId, batchNumber, documentCount: 2, tooLateCount: 2 }
    expect([all.status, all.body]).toEqual([200, { ...counted, documentCount: 3, tooLateCount: 1 }])
    expect(others.body).toEqual(counted)
    expect(withEnded.body).toEqual(counted)
    const detail = `Settling recall ${recallId} would stop 2 documents, more than 1. Nothing is settled`
    expect(fewer).toMatchObject(aProblem(409, { detail }))
    expect(before.map(([status]) => status)).toEqual(keys.map(() => 'PRODUCTION'))
    expect(settled.body).toMatchObject({ recalledCount: 2, tooLateCount: 2 })
    expect(again).toMatchObject({ status: 200, body: settled.body })
    expect([repeated.status, repeated.body]).toEqual([200, counted])
    expect(late).toMatchObject(answered(recallId, 'PARTLY_ACCEPTED'))
  })

  test('a document that gets an outcome meanwhile is not counted as stoppable', async () => {
    const { recallId, batchNumber, documentIds } = await anOpenRecall(3)
    await runs.pool.query(
      `update print_run_document set outcome = 'RECALLED' where batch_number = $1 and document_id = $2`,
      [batchNumber, documentIds[0]],
    )

    const { body } = await as('GET', '/recalls?state=OPEN&limit=100')
    const settled = await settle(recallId, { allStopped: true })

    const listed = body.recalls.find((recall: { recallId: string }) => recall.recallId === recallId)
    expect(listed).toMatchObject({ documentCount: 3, stoppableCount: 2 })
    expect(settled.body).toMatchObject({ recalledCount: 2, tooLateCount: 1, stoppableCount: 0 })
  })

  test('200: a run that lost all its documents is reconciled, and the timeline names the operator', async () => {
    const { recallId, batchNumber, keys } = await anOpenRecall(1)

    expect(await settle(recallId, { allStopped: true })).toMatchObject({
      status: 200,
      body: { state: 'ACCEPTED', recalledCount: 1 },
    })
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({
      body: { state: 'RECONCILED', account: { recalled: 1, missing: 0 } },
    })
    const { body: letter } = await as('GET', `/print-jobs/${keys[0]}`)
    expect(letter.events.at(-1)).toMatchObject({
      transition: 'reject',
      status: 'REJECTED',
      actor: administration.actorOf('operator'),
    })
  })

  test('409: an operator or the provider has answered, in whichever order', async () => {
    const ours = await anOpenRecall(2)
    const theirs = await anOpenRecall(1)
    await settle(ours.recallId, { allStopped: true })
    await answerOfProvider(theirs.recallId)
    const different = { tooLate: [ours.documentIds[0]] }

    for (const choice of [different, { allStopped: true, note: 'by letter' }]) {
      expect(await settle(ours.recallId, choice)).toMatchObject(answered(ours.recallId, 'ACCEPTED'))
    }
    for (const path of ['settle', 'settle/count']) {
      const same = await as('POST', `/recalls/${theirs.recallId}/${path}`, {
        allStopped: true,
        note,
      })
      expect(same).toMatchObject(answered(theirs.recallId, 'ACCEPTED'))
    }
    expect(await answerOfProvider(ours.recallId)).toEqual({
      kind: 'answered-otherwise',
      state: 'ACCEPTED',
    })
    expect(await recordedOf(ours.recallId)).toHaveLength(1)
    expect(await recordedOf(theirs.recallId)).toEqual([])
  })

  test('concurrent answers of operator and provider count once', async () => {
    const { recallId, documentIds, keys } = await anOpenRecall(2)

    const [ofOperator, ofProvider] = await Promise.all([
      settle(recallId, { allStopped: true }),
      answerOfProvider(recallId, documentIds),
    ])

    const isOperators = ofOperator.status === 200
    expect([ofOperator.status, ofProvider.kind]).toEqual(
      isOperators ? [200, 'answered-otherwise'] : [409, 'answered'],
    )
    const status = isOperators ? 'REJECTED' : 'PRODUCTION'
    expect((await runs.statuses(keys)).map(([each]) => each)).toEqual([status, status])
  })

  test.each([{}, { tooLate: [] }])(
    '400: %o does not state that all documents were stopped',
    async (choice) => {
      const { recallId, keys } = await anOpenRecall(1)

      expect(await settle(recallId, choice)).toMatchObject(aProblem(400, { title: 'tooLate' }))
      expect((await runs.statuses(keys)).map(([status]) => status)).toEqual(['PRODUCTION'])
    },
  )

  test('400: the recall does not have the documents, and the first hundred are named', async () => {
    const { recallId, documentIds } = await anOpenRecall(1)
    const strangers = Array.from({ length: 20_000 }, (_, index) => `D-none-${index}`)
    const tooLate = [documentIds[0], documentIds[0], ...strangers]

    const { status, body } = await settle(recallId, { tooLate })

    expect([status, body.errors.length]).toEqual([400, 100])
    expect(body.errors[0].detail).toBe(`tooLate[2] is not a document of recall ${recallId}`)
    expect(await recordedOf(recallId)).toEqual([])
  })
})
