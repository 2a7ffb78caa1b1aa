import { expect, test } from 'vitest'
import { readLine } from './read-print-log.ts'

const sha256 = 'ab'.repeat(32)
const printed = { documentId: 'D100000001', batchNumber: 'R100001', attempt: 1, sha256 }
const { batchNumber, ...ofManifest } = printed

test.for<[what: string, line: unknown, run: string | undefined, kind: string | undefined]>([
  ['a line of a print log', { ...printed, serialNumber: 'X1' }, undefined, 'document'],
  ['the run of a manifest', { type: 'printRun', batchNumber }, undefined, 'run'],
  ['a document of a manifest', { type: 'document', ...ofManifest }, 'R100001', 'document'],
  ['a fulfilment job', { type: 'fulfilmentJob', fulfilmentJobId: 'x' }, 'R100001', undefined],
  ['the totals', { type: 'totals' }, 'R100001', undefined],
  ['a document without a run', { type: 'document', ...ofManifest }, undefined, 'unreadable'],
  ['a document without bytes', { ...printed, sha256: undefined }, undefined, 'unreadable'],
  ['an attempt that is not a number', { ...printed, attempt: '1' }, undefined, 'unreadable'],
  ['no object', null, undefined, 'unreadable'],
])('%s', ([, line, run, kind]) => {
  const read = readLine({ number: 3, text: JSON.stringify(line) }, run)

  expect(read?.kind).toBe(kind)
  if (read?.kind === 'document') expect(read.document).toEqual(printed)
})

test('a truncated line is reported by its number', () => {
  expect(readLine({ number: 3, text: '{"documentId":"D1' }, undefined)).toEqual({
    kind: 'unreadable',
    number: 3,
  })
})
