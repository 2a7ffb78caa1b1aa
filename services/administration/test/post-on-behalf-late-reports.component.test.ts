import { readSerialStock } from '@despatch/store/serial-stock/serial-stock'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aVanishedProvider } from './a-vanished-provider.ts'

const north = await shared(aVanishedProvider())

describe('a provider that returns', () => {
  test('finds its own posting without the documents posted on its behalf', async () => {
    const { batchNumber, documentIds, keys, postingId } = await north.aRunWithPosting(2)

    const posted = await north.post(batchNumber, { documentIds: [documentIds[0]] })
    const confirmed = await north.confirmByProvider(postingId)
    const repeated = await north.postByProvider(batchNumber)

    expect(posted).toMatchObject({ status: 201, body: { documentCount: 1 } })
    expect(confirmed).toMatchObject({
      documentCount: 1,
      sheetCount: 1,
      printRuns: [{ batchNumber, documentCount: 1, sheetCount: 1 }],
    })
    expect(repeated).toMatchObject({ kind: 'posted', posting: { postingId } })
    expect(await north.statusesOf(keys)).toEqual(['DESPATCHED', 'DESPATCHED'])
    expect((await north.show(batchNumber)).body).toMatchObject({ state: 'RECONCILED' })
  })

  test('cannot post, spoil or fail a posted document, and PRINTED is still recorded', async () => {
    const { batchNumber, documentIds, keys } = await north.anAbandonedRun()
    const [documentId] = documentIds as [string]
    await north.post(batchNumber)

    const named = await north.postByProvider(batchNumber, { postingKey: 'late, named' }, [
      documentId,
    ])
    const rest = await north.postByProvider(batchNumber, { postingKey: 'late, the rest' })
    const reported = await north.report(batchNumber, [
      [documentId, 'PRINTED'],
      [documentId, 'SPOILED'],
      [documentId, 'FAILED'],
    ])

    expect(named).toMatchObject({
      kind: 'not-postable',
      documents: [{ documentId, outcome: 'DESPATCHED' }],
    })
    expect(rest).toEqual({ kind: 'nothing-to-post', batchNumber })
    expect(reported).toMatchObject({
      verdicts: [
        { result: 'RECORDED' },
        { result: 'REFUSED', refusal: 'not-spoilable' },
        { result: 'REFUSED', refusal: 'not-failable' },
      ],
    })
    expect(await north.statusesOf(keys)).toEqual(['DESPATCHED'])
  })

  test('can report the serial number of a posted document, which is then used', async () => {
    const { batchNumber, documentIds } = await north.anAbandonedRun()
    const serialNumbers = ['N1', 'N2']
    const stock = { jobType: 'LETTER', providerId: 'north', serialNumbers }
    await north.administration.asAdmin('POST', '/serial-stock', stock)
    const account = async () =>
      (await readSerialStock(north.runs.db, 'north')).find(({ jobType }) => jobType === 'LETTER')

    await north.post(batchNumber)
    const before = await account()
    await north.report(batchNumber, [[documentIds[0]!, 'PRINTED', 'N1']])

    const letters = { jobType: 'LETTER', issued: 2, spoiled: 0 }
    expect(before).toEqual({ ...letters, used: 0, inStock: 2 })
    expect(await account()).toEqual({ ...letters, used: 1, inStock: 1 })
  })
})

describe('at the same time', () => {
  test('two equal postings are recorded once', async () => {
    const { batchNumber } = await north.anAbandonedRun(3)
    const asked = north.aPosting()

    const posts = [north.post(batchNumber, asked), north.post(batchNumber, asked)]
    const [one, other] = await Promise.all(posts)

    expect([one!.status, other!.status]).toEqual([201, 201])
    expect(one!.body).toEqual(other!.body)
    expect(await north.recordedOf(batchNumber)).toHaveLength(1)
  })

  test('operator and provider post each letter in one posting, in any order', async () => {
    const { batchNumber, keys } = await north.anAbandonedRun(3)

    const [ofOperator, ofProvider] = await Promise.all([
      north.post(batchNumber),
      north.postByProvider(batchNumber),
    ])

    const isOperators = ofOperator.status === 201
    expect([ofOperator.status, ofProvider.kind]).toEqual(
      isOperators ? [201, 'nothing-to-post'] : [409, 'posted'],
    )
    const status = isOperators ? 'DESPATCHED' : 'PRODUCTION'
    expect(await north.statusesOf(keys)).toEqual([status, status, status])
    const account = isOperators ? { despatched: 3, posted: 0 } : { despatched: 0, posted: 3 }
    expect((await north.show(batchNumber)).body.account).toMatchObject(account)
  })

  test('the operator and a confirmation of the provider despatch a letter once', async () => {
    const { batchNumber, keys, postingId } = await north.aRunWithPosting(3)

    const [ofOperator, ofProvider] = await Promise.all([
      north.post(batchNumber),
      north.confirmByProvider(postingId),
    ])

    const isOperators = ofOperator.status === 201
    expect([ofOperator.status, ofProvider?.documentCount]).toEqual(
      isOperators ? [201, 0] : [409, 3],
    )
    expect(await north.statusesOf(keys)).toEqual(['DESPATCHED', 'DESPATCHED', 'DESPATCHED'])
    const { rows } = await north.runs.pool.query(
      `select count(*)::integer as steps from print_job_event
       where print_job_key = any ($1::uuid[]) and transition = 'despatch'`,
      [keys],
    )
    expect(rows).toEqual([{ steps: 3 }])
  })

  test.each([
    ['as stopped', 'recall the documents without posting them', 'REJECTED'],
    ['as too late', 'post the documents once the recall is settled', 'DESPATCHED'],
  ])('a posting and a settlement %s %s', async (how, _what, status) => {
    const { batchNumber, documentIds, keys } = await north.anAbandonedRun(2)
    const recallId = await north.recall(batchNumber, documentIds)

    const [first, settled] = await Promise.all([
      north.post(batchNumber),
      north.settle(recallId, how === 'as stopped' ? [] : documentIds),
    ])
    const posted = first.status === 201 ? first : await north.post(batchNumber)

    expect([settled.status, posted.status]).toEqual([200, status === 'REJECTED' ? 409 : 201])
    expect(await north.statusesOf(keys)).toEqual([status, status])
  })
})
