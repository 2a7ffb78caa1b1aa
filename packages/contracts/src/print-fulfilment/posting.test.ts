import { expect, test } from 'vitest'
import { postingRequestSchema } from './posting.ts'

const ofDocuments = { batchNumber: 'R1', documentIds: ['D1'] }

test.each([
  ['names all its documents', false, [ofDocuments]],
  ['also covers a whole print run', true, [ofDocuments, { batchNumber: 'R2' }]],
])('a posting that %s: details of another document are accepted: %s', (_, expected, printRuns) => {
  const { success } = postingRequestSchema.safeParse({
    printRuns,
    carrier: 'A carrier',
    handoverAt: '2026-11-20T17:00:00Z',
    documents: [{ documentId: 'D2', serialNumber: 'S2' }],
  })

  expect(success).toBe(expected)
})
