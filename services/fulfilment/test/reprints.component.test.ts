import { randomUUID } from 'node:crypto'
import { decideReprint, type ReprintDecision } from '@despatch/store/reprint/decide'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
const { keyOf } = fulfilment
// at most two reprints of a small run need no second person
await setFreePercent(1)

function setFreePercent(percent: number) {
  return fulfilment.rows(
    `update print_site set reprints_free_max = 2, reprints_free_percent = $1 where provider_id = 'north'`,
    percent,
  )
}

type Listed = { documentId: string; attempt: number; state: string }

const ask = (batchNumber: string, documentIds: readonly string[]) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/reprints`, {
    body: { documents: documentIds.map((documentId) => ({ documentId, reasonCode: 'JAM' })) },
  })
const list = (batchNumber: string, query = '') =>
  fulfilment.call('GET', `/print-runs/${batchNumber}/reprints${query}`)
const told = ({ body }: { body: { reprints: Listed[] } }) =>
  body.reprints.map(({ documentId, attempt, state }) => `${documentId} ${attempt} ${state}`)

/** A run whose documents are all spoiled, in order of sequence. */
async function aSpoiledRun(count: number) {
  const run = await fulfilment.anAcknowledgedRun(...Array<object>(count).fill({}))
  const events = run.documentIds.map((documentId) => ({ documentId, type: 'SPOILED' }))
  await production.report(run.batchNumber, events)
  return run
}

const reprintOf = async (documentId: string): Promise<{ id: number; requested_by: string }> =>
  (
    await fulfilment.rows(
      'select id, requested_by from reprint where document_id = $1 order by attempt desc limit 1',
      documentId,
    )
  )[0]
const decide = (
  decision: Omit<ReprintDecision, 'actor' | 'actorConsumerId'> & { actorConsumerId?: string },
) =>
  fulfilment.database.db
    .transaction()
    .execute((tx) =>
      decideReprint(tx, { actor: 'operator:ann', actorConsumerId: randomUUID(), ...decision }),
    )

describe('POST /print-runs/{batchNumber}/reprints', () => {
  test('a spoiled document gets its next attempt, and no other once that is printed', async () => {
    const { batchNumber, documentIds, manifest } = await aSpoiledRun(1)
    const [documentId] = documentIds
    const { fulfilmentJobId, sheets, pages, sha256, content } = manifest.documents[0]

    const { status, body } = await ask(batchNumber, [documentId])

    const reprint = {
      documentId,
      fulfilmentJobId,
      attempt: 2,
      state: 'AUTHORISED',
      reasonCode: 'JAM',
      sheets,
      pages,
      sha256,
      content,
      requestedAt: expect.stringMatching(/Z$/),
      decidedAt: expect.stringMatching(/Z$/),
    }
    expect({ status, body }).toEqual({ status: 200, body: { batchNumber, reprints: [reprint] } })
    expect(await production.standings(batchNumber)).toEqual(['2'])
    await production.report(batchNumber, [{ documentId, type: 'PRINTED', attempt: 2 }])
    expect((await ask(batchNumber, [documentId])).status).toBe(409)
    expect(await production.timeline(await keyOf(documentId))).toEqual([
      'spoil JAM',
      'reprint attempt 2',
      'print',
    ])
  })

  test('reports on the spoiled attempt do not apply to the next attempt', async () => {
    const run = await fulfilment.anAcknowledgedRun({})
    const { batchNumber, printJobs } = run
    const [documentId] = run.documentIds
    const details = {
      serialNumber: `${batchNumber} 1`,
      despatchProperties: [{ key: 'mailmarkItemId', value: '12345678' }],
    }
    await production.report(batchNumber, [
      { documentId, type: 'PRINTED', ...details },
      { documentId, type: 'SPOILED' },
    ])
    expect(await fulfilment.findJob(printJobs[0]!.id)).toMatchObject({
      serialNumber: `${batchNumber} 1`,
    })

    await ask(batchNumber, [documentId])

    const row = await fulfilment.rows(
      `select document.serial_number, job.serial_number as shown, document.despatch_properties, mailmark_item_id
      from print_run_document document join print_job job on job.key = print_job_key
      where document.document_id = $1`,
      documentId,
    )
    expect(row).toEqual([
      { serial_number: null, shown: null, despatch_properties: null, mailmark_item_id: null },
    ])
  })

  test('reprints over the quota of the site wait for a second person, in the order of the request', async () => {
    const { batchNumber, documentIds } = await aSpoiledRun(4)
    const [a, b, c, d] = documentIds

    expect(told(await ask(batchNumber, [b, a, d]))).toEqual([
      `${b} 2 AUTHORISED`,
      `${a} 2 AUTHORISED`,
      `${d} 2 WAITING`,
    ])
    expect(told(await ask(batchNumber, [c]))).toEqual([`${c} 2 WAITING`])
    expect(await production.standings(batchNumber)).toEqual(['2', '2', '1 SPOILED', '1 SPOILED'])
  })

  test('the quota is a percentage of the documents if that is more', async () => {
    const { batchNumber, documentIds } = await aSpoiledRun(5)
    await setFreePercent(51)
    const asked = told(await ask(batchNumber, documentIds))
    await setFreePercent(1)

    const states = asked.map((reprint) => reprint.split(' ').at(-1))
    expect(states).toEqual([...Array(3).fill('AUTHORISED'), 'WAITING', 'WAITING'])
  })

  test('repeated and concurrent requests return the same reprints', async () => {
    const { batchNumber, documentIds } = await aSpoiledRun(3)

    const answers = await Promise.all([
      ask(batchNumber, documentIds),
      ask(batchNumber, documentIds),
      ask(batchNumber, documentIds),
    ])

    expect(answers.map(({ body }) => body)).toEqual(Array(3).fill(answers[0]!.body))
    expect(told(answers[0]!).map((reprint) => reprint.split(' ').at(-1))).toEqual([
      'AUTHORISED',
      'AUTHORISED',
      'WAITING',
    ])
    const count = 'select count(*) from reprint where batch_number = $1'
    expect(await fulfilment.rows(count, batchNumber)).toEqual([{ count: 3 }])
  })

  test('a spoiled reprint gets a further attempt', async () => {
    const { batchNumber, documentIds } = await aSpoiledRun(1)
    const [documentId] = documentIds
    await ask(batchNumber, [documentId])
    await production.report(batchNumber, [{ documentId, type: 'SPOILED', attempt: 2 }])

    expect(told(await ask(batchNumber, [documentId]))).toEqual([`${documentId} 3 AUTHORISED`])
    expect(told(await list(batchNumber))).toEqual([
      `${documentId} 2 AUTHORISED`,
      `${documentId} 3 AUTHORISED`,
    ])
  })

  test('409: the run is not acknowledged; 400: a document is repeated', async () => {
    const { batchNumber, documentIds } = await fulfilment.aClaimedRun({})
    const [documentId] = documentIds

    const early = await ask(batchNumber, [documentId])
    const twice = await ask(batchNumber, [documentId, documentId])

    expect(refusals(early, twice)).toEqual([
      [409, 'PrintRunNotInProduction'],
      [400, 'Duplicate'],
    ])
  })

  test('409: names the documents that are not spoiled, and authorises nothing', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {}, {})
    const { batchNumber } = run
    const [spoiled, printed, failed] = run.documentIds
    await production.report(batchNumber, [
      { documentId: spoiled, type: 'SPOILED' },
      { documentId: printed, type: 'PRINTED' },
      { documentId: failed, type: 'SPOILED' },
      { documentId: failed, type: 'FAILED' },
    ])

    const { status, body } = await ask(batchNumber, [spoiled, printed, 'D1', failed])

    expect({ status, body }).toEqual({
      status: 409,
      body: {
        errors: [printed, 'D1', failed].map((documentId) => ({
          status: '409 CONFLICT',
          code: 'ReprintNotPossible',
          title: documentId,
          detail: `The current attempt at document ${documentId} of print run ${batchNumber} is not SPOILED`,
        })),
      },
    })
    expect(told(await list(batchNumber))).toEqual([])
  })
})

test('GET /print-runs/{batchNumber}/reprints lists reprints of the run, or of one state, in pages', async () => {
  const { batchNumber, documentIds } = await aSpoiledRun(4)
  const [a, b, c, d] = documentIds
  await ask(batchNumber, documentIds)

  const first = await list(batchNumber, '?limit=3')
  const second = await list(batchNumber, `?limit=3&cursor=${first.body.nextCursor}`)

  expect([told(first), told(second)]).toEqual([
    [`${a} 2 AUTHORISED`, `${b} 2 AUTHORISED`, `${c} 2 WAITING`],
    [`${d} 2 WAITING`],
  ])
  expect(second.body).not.toHaveProperty('nextCursor')
  expect(told(await list(batchNumber, '?state=WAITING'))).toEqual([
    `${c} 2 WAITING`,
    `${d} 2 WAITING`,
  ])
})

describe('the second person', () => {
  async function aWaitingReprint() {
    const run = await aSpoiledRun(3)
    await ask(run.batchNumber, run.documentIds)
    const documentId = run.documentIds.at(-1)!
    const { id, requested_by } = await reprintOf(documentId)
    return { ...run, documentId, reprintId: id, requester: requested_by }
  }

  test('authorises a reprint, and the document has its next attempt', async () => {
    const { batchNumber, documentId, reprintId } = await aWaitingReprint()
    const decision = { reprintId, decision: 'authorise' } as const
    const decided = {
      kind: 'decided',
      reprint: { reprintId, batchNumber, documentId, attempt: 2, state: 'AUTHORISED' },
    }

    const answers = await Promise.all([decide(decision), decide(decision)])

    expect(answers).toEqual([decided, decided])
    expect(await production.standings(batchNumber)).toEqual(['2', '2', '2'])
    expect(await decide({ reprintId, decision: 'refuse' })).toEqual({
      kind: 'decided-otherwise',
      whyNot: 'is already AUTHORISED',
    })
  })

  test('refuses a reprint, and the document fails and its print job is rejected', async () => {
    const { batchNumber, documentId, documentIds, reprintId } = await aWaitingReprint()
    const decision = { reprintId, decision: 'refuse', reason: 'Too late for it' } as const

    const once = await decide(decision)
    expect(await decide(decision)).toEqual(once)

    expect(await production.standings(batchNumber)).toEqual(['2', '2', '1 SPOILED FAILED'])
    expect(await production.timeline(await keyOf(documentId))).toEqual([
      'spoil JAM',
      'reject Reprint refused: Too late for it',
    ])
    expect(await fulfilment.statuses([await keyOf(documentId)])).toEqual(['REJECTED'])
    expect(await decide({ reprintId, decision: 'authorise' })).toEqual({
      kind: 'decided-otherwise',
      whyNot: 'is already REFUSED',
    })
    expect(told(await ask(batchNumber, [documentId]))).toEqual([`${documentId} 2 REFUSED`])
    await production.report(
      batchNumber,
      documentIds.map((id) => ({ documentId: id, type: 'FAILED', attempt: 2 })),
    )
    expect(await production.stateOf(batchNumber)).toBe('RECONCILED')
  })

  test('refuses only one reprint, without effect on other reprints', async () => {
    const other = await aWaitingReprint()
    const { batchNumber, documentIds } = await aSpoiledRun(4)
    await ask(batchNumber, documentIds)
    const [first, second, third, fourth] = documentIds
    await production.report(batchNumber, [{ documentId: first, type: 'SPOILED', attempt: 2 }])
    await ask(batchNumber, [first])

    await decide({ reprintId: (await reprintOf(first)).id, decision: 'refuse' })

    expect(told(await list(batchNumber))).toEqual([
      ...[`${first} 2 AUTHORISED`, `${second} 2 AUTHORISED`, `${third} 2 WAITING`],
      ...[`${fourth} 2 WAITING`, `${first} 3 REFUSED`],
    ])
    expect(told(await list(other.batchNumber))).toContain(`${other.documentId} 2 WAITING`)
    expect(await production.timeline(await keyOf(first))).toContain('reject Reprint refused')
  })

  test('can repeat a decision after the run was reassigned, even as the requester', async () => {
    const { batchNumber, documentId, reprintId, requester } = await aWaitingReprint()
    const decision = { reprintId, decision: 'refuse' } as const
    const once = await decide(decision)
    await fulfilment.voidRun({ batchNumber })

    expect(once).toMatchObject({ kind: 'decided', reprint: { documentId, state: 'REFUSED' } })
    expect(await decide({ ...decision, actorConsumerId: requester })).toEqual(once)
  })

  test('cannot be the requester', async () => {
    const { batchNumber, reprintId, requester } = await aWaitingReprint()

    expect(await decide({ reprintId, decision: 'authorise', actorConsumerId: requester })).toEqual({
      kind: 'own-request',
      whyNot: 'The decision on a reprint requires a second person',
    })
    expect(await production.standings(batchNumber)).toEqual(['2', '2', '1 SPOILED'])
  })

  test('cannot decide once the document has failed', async () => {
    const { batchNumber, documentId, reprintId } = await aWaitingReprint()

    await production.report(batchNumber, [{ documentId, type: 'FAILED' }])

    expect(await decide({ reprintId, decision: 'authorise' })).toEqual({
      kind: 'decided-otherwise',
      whyNot: 'is already REFUSED',
    })
    const reasons = 'select decided_by, decision_reason from reprint where id = $1'
    expect(await fulfilment.rows(reasons, reprintId)).toEqual([
      { decided_by: 'provider:north', decision_reason: 'failed' },
    ])
  })

  test('cannot decide on a run that an operator has reassigned, or on an unknown reprint', async () => {
    const { batchNumber, reprintId } = await aWaitingReprint()
    await fulfilment.voidRun({ batchNumber })

    expect(await decide({ reprintId, decision: 'authorise' })).toEqual({
      kind: 'not-in-production',
      batchNumber,
    })
    expect(await decide({ reprintId: 999_999, decision: 'authorise' })).toEqual({ kind: 'absent' })
  })
})
