import { expect, test } from 'vitest'
import { ScanFailed } from './conversation.ts'
import { readScanAnswer } from './virus-scanner.ts'

test('OK means clean, and FOUND means infected with the named signature', () => {
  expect(readScanAnswer('stream: OK')).toEqual({ kind: 'clean' })
  expect(readScanAnswer('stream: Win.Test.EICAR_HDB-1 FOUND')).toEqual({
    kind: 'infected',
    signature: 'Win.Test.EICAR_HDB-1',
  })
})

test.each([
  ['INSTREAM size limit exceeded. ERROR', 'limit'],
  ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND', 'limit'],
  ['stream: Heuristics.Limits.Exceeded FOUND', 'limit'],
  ['', 'broken'],
  ['OK', 'broken'],
  ['stream: OK and more', 'broken'],
  ['another stream: OK', 'broken'],
  ['stream:  FOUND', 'broken'],
  ["stream: Can't allocate memory ERROR", 'broken'],
  ['COMMAND READ TIMED OUT', 'broken'],
  ['UNKNOWN COMMAND', 'broken'],
  ['PONG', 'broken'],
])('%j is refused as a verdict: %s', (answer, reason) => {
  const read = () => readScanAnswer(answer)

  expect(read).toThrow(ScanFailed)
  expect(read).toThrow(expect.objectContaining({ reason }))
})
