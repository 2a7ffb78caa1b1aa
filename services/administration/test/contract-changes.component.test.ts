import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const letter = { production: 'letter' }
const supplied = { production: 'as-supplied', suppliedFileKey: 'pdf' }

async function aConsumer(userName: string) {
  const consumerId = await administration.aConsumer(userName)
  const path = `/consumers/${consumerId}/contracts/LETTER/LETTER`
  const preview = async (body: unknown) =>
    (await administration.asOperator('POST', `${path}/preview`, body)).body
  const put = (body: unknown) => administration.asAdmin('PUT', path, body)
  return { consumerId, path, preview, put }
}

describe('POST /consumers/{consumerId}/contracts/{jobType}/{templateReference}/preview', () => {
  test('200: returns the terms that would change, and changes nothing', async () => {
    const { consumerId, path, preview, put } = await aConsumer('previews')
    const terms = { ...letter, pagesMax: 24, retentionDays: 30 }

    const created = await preview(letter)
    await put(letter)
    const same = await preview(letter)
    const changed = await preview(terms)
    await administration.asAdmin('DELETE', path)
    const again = await preview(letter)

    expect(created).toMatchObject({ effect: 'create' })
    expect(created.changes).toContainEqual({ term: 'production', after: 'letter' })
    expect(same).toEqual({ effect: 'none', changes: [] })
    expect(changed).toEqual({
      effect: 'change',
      changes: [
        { term: 'pagesMax', before: 100, after: 24 },
        { term: 'retentionDays', after: 30 },
      ],
    })
    expect(again).toEqual({ effect: 'reactivate', changes: [] })
    const { body } = await administration.asOperator('GET', `/consumers/${consumerId}`)
    expect(body.contracts).toMatchObject([{ pagesMax: 100, retiredAt: expect.any(String) }])
  })

  test('200: returns why terms cannot change while print jobs are in preparation', async () => {
    const consumer = await insertConsumer(administration.db)
    await saveSubmissions(administration.pool, [aSubmission(consumer)])
    const path = `/consumers/${consumer.consumerId}/contracts/LETTER/LETTER/preview`

    expect((await administration.asOperator('POST', path, supplied)).body).toMatchObject({
      effect: 'change',
      changes: expect.arrayContaining([
        { term: 'production', before: 'letter', after: 'as-supplied' },
        { term: 'suppliedFileKey', after: 'pdf' },
      ]),
      whyNot: expect.stringContaining('production and suppliedFileKey can change only after'),
    })
  })
})

describe('GET /consumers/{consumerId}/contract-changes', () => {
  test('200: lists the changes of terms with their actors, newest first, in pages', async () => {
    const { consumerId, path, put } = await aConsumer('changes')
    await put(letter)
    await administration.asAdmin('PUT', `/consumers/${consumerId}/contracts/OTHER/OTHER`, letter)
    await put({ ...letter, pagesMax: 24, callbackStatuses: ['DESPATCHED'] })
    await administration.asAdmin('DELETE', path)

    const list = (query: string) =>
      administration.asOperator('GET', `/consumers/${consumerId}/contract-changes?${query}`)
    const first = await list('limit=2')
    const next = await list(`limit=2&cursor=${first.body.nextCursor}`)

    const who = {
      at: expect.stringMatching(/Z$/),
      actor: `consumer:${administration.ids.admin}`,
      actorUserName: expect.any(String),
    }
    const of = { jobType: 'LETTER', templateReference: 'LETTER' }
    const statuses = { before: ['DESPATCHED', 'REJECTED'], after: ['DESPATCHED'] }
    const changes = [
      { term: 'callbackStatuses', ...statuses },
      { term: 'pagesMax', before: 100, after: 24 },
    ]
    expect(first.body.contractChanges).toEqual([
      { ...who, ...of, effect: 'retire', changes: [] },
      { ...who, ...of, effect: 'change', changes },
    ])
    expect(next.body.contractChanges).toEqual([
      { ...who, jobType: 'OTHER', templateReference: 'OTHER', effect: 'create', changes: [] },
      { ...who, ...of, effect: 'create', changes: [] },
    ])
  })

  test('200: lists the first change of a contract that was created with the deployment', async () => {
    const { consumerId } = await insertConsumer(administration.db)
    const path = `/consumers/${consumerId}`
    const terms = { ...letter, pagesMax: 24 }
    await administration.asAdmin('PUT', `${path}/contracts/LETTER/LETTER`, terms)

    const { body } = await administration.asOperator('GET', `${path}/contract-changes`)

    const pagesMax = { term: 'pagesMax', before: 100, after: 24 }
    expect(body.contractChanges).toMatchObject([
      { effect: 'change', changes: expect.arrayContaining([pagesMax]) },
    ])
  })
})
