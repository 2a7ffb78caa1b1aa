import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

async function aPosting(key: string): Promise<string> {
  const { batchNumber } = await fulfilment.anAcknowledgedRun({})
  const body = { batchNumber, carrier: 'Royal Mail', handoverAt: '2026-01-31T17:30:00Z' }
  return (await fulfilment.call('POST', '/postings', { key, body })).body.postingId
}
const docket = { fileName: 'docket 7.pdf', mediaType: 'application/pdf' }

test('evidence is uploaded to the returned address, and GET /postings/{postingId} lists it', async () => {
  const postingId = await aPosting('with docket')

  const { status, body } = await fulfilment.call('POST', `/postings/${postingId}/evidence`, {
    body: docket,
  })

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
  expect([read.status, read.body.evidence]).toEqual([
    200,
    [
      {
        evidenceId: body.evidenceId,
        fileName: 'docket 7.pdf',
        mediaType: 'application/pdf',
        createdAt: expect.stringMatching(/Z$/),
      },
    ],
  ])
})

test('evidence with a declared size is accepted only with that size', async () => {
  const postingId = await aPosting('with a size')
  const { status, body } = await fulfilment.call('POST', `/postings/${postingId}/evidence`, {
    body: { ...docket, bytes: 10 },
  })
  const put = async (content: string) =>
    (await fetch(body.uploadUrl, { method: 'PUT', body: content })).status

  expect([status, await put('a larger docket'), await put('the docket')]).toEqual([201, 403, 200])
})

test('each upload has its own address', async () => {
  const postingId = await aPosting('with two')
  const path = `/postings/${postingId}/evidence`

  const answers = [
    await fulfilment.call('POST', path, { body: docket }),
    await fulfilment.call('POST', path, { body: docket }),
  ]

  expect(new Set(answers.map(({ body }) => body.evidenceId)).size).toBe(2)
  const { body } = await fulfilment.call('GET', `/postings/${postingId}`)
  expect(body.evidence).toHaveLength(2)
})

test('409: the posting has 20 pieces of evidence, even if more are added at once', async () => {
  const postingId = await aPosting('with many')
  const path = `/postings/${postingId}/evidence`

  const answers = await Promise.all(
    Array.from({ length: 22 }, () => fulfilment.call('POST', path, { body: docket })),
  )

  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
    [409, 'PostingConflict'],
    [409, 'PostingConflict'],
  ])
  const { body } = await fulfilment.call('GET', `/postings/${postingId}`)
  expect(body.evidence).toHaveLength(20)
})

test('404: the posting belongs to another provider or is unknown, or the id is malformed', async () => {
  const postingId = await aPosting('mine')
  const unknown = '00000000-0000-4000-8000-000000000000'
  const south = { provider: 'south' }

  const answers = await Promise.all([
    fulfilment.call('GET', `/postings/${postingId}`, south),
    fulfilment.call('POST', `/postings/${postingId}/evidence`, { ...south, body: docket }),
    fulfilment.call('GET', `/postings/${unknown}`),
    fulfilment.call('POST', `/postings/${unknown}/evidence`, { body: docket }),
    fulfilment.call('GET', '/postings/1'),
  ])

  expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
    answers.map(() => [404, 'PostingNotFound']),
  )
})
