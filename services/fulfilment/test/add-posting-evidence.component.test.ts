import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

async function aPosting(): Promise<string> {
  const { batchNumber } = await fulfilment.anAcknowledgedRun({})
  return (await fulfilment.post({ batchNumber })).body.postingId
}
const docket = { fileName: 'docket 7.pdf', mediaType: 'application/pdf' }
const add = (postingId: string, body: object = docket) =>
  fulfilment.call('POST', `/postings/${postingId}/evidence`, { body })

test('evidence is uploaded to the returned address, and GET /postings/{postingId} lists it', async () => {
  const postingId = await aPosting()

  const { status, body } = await add(postingId)

  expect({ status, body }).toEqual({
    status: 201,
    body: {
      evidenceId: expect.stringMatching(/^[\da-f-]{36}$/),
      uploadUrl: expect.stringContaining(`/evidence/${postingId}/${body.evidenceId}?`),
      expiresAt: expect.stringMatching(/Z$/),
    },
  })
  const put = await fetch(body.uploadUrl, { method: 'PUT', body: 'the docket' })
  expect(put.status).toBe(200)
  const key = `evidence/${postingId}/${body.evidenceId}`
  expect(await fulfilment.objects.head(key)).toMatchObject({ bytes: 10 })
  const read = await fulfilment.call('GET', `/postings/${postingId}`)
  const createdAt = expect.stringMatching(/Z$/)
  expect([read.status, read.body.evidence]).toEqual([
    200,
    [{ evidenceId: body.evidenceId, ...docket, createdAt }],
  ])
})

test('evidence with a declared size is accepted only with that size', async () => {
  const { status, body } = await add(await aPosting(), { ...docket, bytes: 10 })
  const put = async (content: string) =>
    (await fetch(body.uploadUrl, { method: 'PUT', body: content })).status

  expect([status, await put('a larger docket'), await put('the docket')]).toEqual([201, 403, 200])
})

test('a posting has at most 20 pieces of evidence, each with its own address, even if more are added at once', async () => {
  const postingId = await aPosting()

  const answers = await Promise.all(Array.from({ length: 22 }, () => add(postingId)))

  const refused = answers.filter(({ status }) => status !== 201)
  expect(refusals(...refused)).toEqual(Array(2).fill([409, 'PostingConflict']))
  const added = answers.flatMap(({ body }) => body.evidenceId ?? [])
  expect(new Set(added).size).toBe(20)
  const { body } = await fulfilment.call('GET', `/postings/${postingId}`)
  expect(body.evidence).toHaveLength(20)
})
