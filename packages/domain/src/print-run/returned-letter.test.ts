import { expect, test } from 'vitest'
import { describeReturn, judgeReturn, type ReturnJudgement } from './returned-letter.ts'

const despatched = { isDespatched: true, isReturned: false }
const cases: [
  name: string,
  known: Parameters<typeof judgeReturn>[0],
  letter: Parameters<typeof judgeReturn>[1],
  judgement: ReturnJudgement,
][] = [
  ['a despatched letter', 'nothing', despatched, { kind: 'record' }],
  [
    'a repeat, whatever it names',
    'the-same',
    { ...despatched, isReturned: true },
    { kind: 'duplicate' },
  ],
  [
    'an id that stands for another return',
    'another',
    despatched,
    { kind: 'refuse', reason: 'return-id-reused' },
  ],
  ['an unknown letter', 'nothing', undefined, { kind: 'refuse', reason: 'unknown-document' }],
  [
    'a letter that is still in production',
    'nothing',
    { isDespatched: false, isReturned: false },
    { kind: 'refuse', reason: 'not-despatched' },
  ],
  [
    'a letter that came back before',
    'nothing',
    { isDespatched: true, isReturned: true },
    { kind: 'refuse', reason: 'already-returned' },
  ],
]

test.for(cases)('the return of %s', ([, known, letter, judgement]) => {
  expect(judgeReturn(known, letter)).toEqual(judgement)
})

test('reports the reason and the result', () => {
  expect(describeReturn({ reasonCode: 'R01', disposition: 'DESTROYED' })).toBe(
    'R01 gone away, destroyed',
  )
})
