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
