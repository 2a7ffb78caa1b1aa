import { hash } from 'node:crypto'
import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import { expect, test } from 'vitest'
import { planSubmission, type SubmissionContext } from './plan-submission.ts'

test('twenty files that are each decoded in one turn let other work run between them', async () => {
  const value = Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(375_000)]).toString('base64')
  const customParams = Array.from({ length: 20 }, (_, index) => ({ key: `file${index}`, value }))
  const request = { standardParams: {}, customParams } as PrintJobRequest
  const context: Partial<SubmissionContext> = {
    contracts: [],
    unknownMembers: { paths: [], count: 0 },
    uploadBytesMax: 1_000_000,
    now: new Date(),
  }
  let turns = 0
  let next: NodeJS.Immediate
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  count()

  const planned = await planSubmission(request, context as SubmissionContext)
  clearImmediate(next!)

  expect(planned).toMatchObject({ kind: 'refused', faults: [{ code: 'NotAgreed' }] })
  expect(turns).toBeGreaterThanOrEqual(19)
})

test.each([
  ['a data URL', `data:application/pdf;base64,${Buffer.from('%PDF-1.7').toString('base64')}`],
  ['a file that cannot be decoded', 'JVBERi0xLjcKJeLjz'],
])('the content is compared as by a release that took it as text: %s', async (_, value) => {
  const standardParams = { jobType: 'LETTER', templateReference: 'LETTER' }
  const request = { standardParams, customParams: [{ key: 'letter', value }] } as PrintJobRequest
  const context = {
    contracts: [{ ...standardParams, production: 'letter', unreadableFiles: 'report' }],
    unknownMembers: { paths: [], count: 0 },
    uploadBytesMax: 1_000_000,
    now: new Date(),
  } as unknown as SubmissionContext

  const planned = await planSubmission(request, context)

  const asText = JSON.stringify([standardParams, request.customParams, undefined, []])
  expect(planned).toMatchObject({ submission: { requestFingerprint: hash('sha256', asText) } })
})
