import { expect, test } from 'vitest'
import type { LetterProgress } from '../letter-progress.ts'
import type { SampleLetter } from '../letters/sample-letters.ts'
import type { PrintJobEvent } from '../users/consumer.ts'
import { drawLetterTable } from './letter-table.ts'
import { makePaint } from './paint.ts'

const paint = makePaint(false)

const letters = [
  aProgress({ number: 1, recipientName: 'Wilhelmina Featherstonehaugh' }, [
    'QUARANTINE',
    'VALIDATING',
    'PENDING',
    'PRODUCTION',
    'DESPATCHED',
  ]),
  aProgress({ number: 2, recipientName: 'Idris', addressKind: 'BFPO' }, [
    'QUARANTINE',
    'VALIDATING',
  ]),
  aProgress({ number: 3, recipientName: 'Ada' }, ['QUARANTINE', 'VALIDATING', 'REJECTED'], true),
  aProgress({ number: 4, recipientName: 'Eve' }, []),
]

test('shows the progress of each letter and whether its callback arrived', () => {
  expect(drawLetterTable(letters, { columns: 100, paint })).toEqual([
    '',
    ' Letter to                       Address       Content  Status',
    ' 1 Wilhelmina Featherstonehaugh  unstructured  a PDF    ●●●●● DESPATCHED',
    ' 2 Idris                         BFPO          a PDF    ●●○○○ VALIDATING',
    ' 3 Ada                           unstructured  a PDF    ●●✗○○ REJECTED    callback ✓',
    ' 4 Eve                           unstructured  a PDF    ○○○○○ to be sent',
    '',
  ])
})

test.each([
  { columns: 75, heading: ' Letter to              Address       Content  Status' },
  { columns: 58, heading: ' Letter to      Address       Status' },
  { columns: 45, heading: ' Letter to       Status' },
])('leaves out columns until a row fits in $columns', ({ columns, heading }) => {
  const lines = drawLetterTable(letters, { columns, paint })
  expect(lines[1]).toBe(heading)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
})

function aProgress(
  letter: Partial<SampleLetter>,
  statuses: readonly PrintJobEvent['status'][],
  isTold = false,
): LetterProgress {
  return {
    letter: { addressKind: 'unstructured', content: 'a PDF', ...letter } as SampleLetter,
    events: statuses.map((status, index) => ({
      sequence: index + 1,
      transition: '',
      status,
      at: '',
    })),
    callbacks: isTold ? [{} as LetterProgress['callbacks'][number]] : [],
  }
}
