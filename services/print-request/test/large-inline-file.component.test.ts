import { hash } from 'node:crypto'
import { fileKey } from '@despatch/object-store/keys'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aPng, aPrintRequest, aRequest } from './a-print-request.ts'

const mebibyte = 1024 * 1024
const service = await shared(aPrintRequest())

test('an inline file of 10 MiB is accepted by default', async () => {
  const consumer = await service.aCaller()
  const start = Buffer.from(aPng, 'base64')
  const file = Buffer.concat([start, Buffer.alloc(10 * mebibyte - start.length)])
  const customParams = [{ key: 'picture', value: file.toString('base64') }]

  const answer = await consumer.call({
    method: 'POST',
    path: 'jobs',
    body: aRequest({ customParams }),
  })

  expect(answer.status).toBe(202)
  expect(await service.objects.head(fileKey(hash('sha256', file, 'hex')))).toMatchObject({
    bytes: 10 * mebibyte,
  })
})
