import { expect, test } from 'vitest'
import { judgePrinted } from './judge-printed.ts'
import type { KnownPrinting, PrintedLetter } from './printed-letters.ts'

const [bytes, otherBytes] = ['ab'.repeat(32), 'cd'.repeat(32)]
const printed = { documentId: 'D100000001', batchNumber: 'R100001', attempt: 1, sha256: bytes }
const nothing: KnownPrinting = {
  isRunKnown: false,
  isRunClaimed: false,
  attempt: null,
  sha256: null,
}
const claimed: KnownPrinting = { isRunKnown: true, isRunClaimed: true, attempt: 1, sha256: bytes }

const aLetter = (detail: Partial<PrintedLetter> = {}): PrintedLetter => ({
  printJobKey: 'key',
  printJobId: 'id',
  consumer: 'somebody',
  status: 'PENDING',
  heldBy: null,
  isDeleted: false,
  sha256: bytes,
  matchedBy: 'number',
  ...detail,
})

test.for<[what: string, known: KnownPrinting, letters: PrintedLetter[], kind: string]>([
  ['of a run that is claimed here too', claimed, [], 'known'],
  ['of an attempt before the last', { ...claimed, attempt: 2 }, [], 'known'],
  ['of an attempt that nobody authorised', { ...claimed, attempt: 0 }, [aLetter()], 'beyond'],
  ['of a run that is not claimed here', { ...claimed, isRunClaimed: false }, [aLetter()], 'hold'],
  ['of a run that is not known', nothing, [aLetter()], 'hold'],
  [
    'of a letter that is yet to be made',
    nothing,
    [aLetter({ status: 'VALIDATING', sha256: null })],
    'hold',
  ],
  ['of a letter that its consumer holds', nothing, [aLetter({ heldBy: 'consumer' })], 'hold'],
  ['of a letter that an operator holds', nothing, [aLetter({ heldBy: 'command-line' })], 'held'],
  ['whose number is another letter’s', nothing, [aLetter({ sha256: otherBytes })], 'reused'],
  [
    'whose number is another letter’s in the same run',
    { ...claimed, sha256: otherBytes },
    [aLetter({ status: 'PRODUCTION', sha256: otherBytes })],
    'reused',
  ],
  ['of a letter that is in production', nothing, [aLetter({ status: 'PRODUCTION' })], 'producing'],
  ['of a letter that was despatched', nothing, [aLetter({ status: 'DESPATCHED' })], 'ended'],
  ['of a letter that was deleted', nothing, [aLetter({ isDeleted: true })], 'ended'],
  ['of no letter', nothing, [], 'unknown'],
])('a printed document %s', ([, known, letters, kind]) => {
  expect(judgePrinted(printed, known, letters).kind).toBe(kind)
})

test('of several letters with the same bytes, the verdict is on one that could be printed again', () => {
  const ended = aLetter({ printJobKey: 'ended', isDeleted: true })

  expect(judgePrinted(printed, nothing, [ended, aLetter()])).toMatchObject({
    kind: 'hold',
    letter: { printJobKey: 'key' },
  })
})
