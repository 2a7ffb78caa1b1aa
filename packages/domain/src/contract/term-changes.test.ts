import { expect, test } from 'vitest'
import { termChanges } from './term-changes.ts'

test.each([
  ['nothing', { pagesMax: 20, marks: true }, { pagesMax: 20, marks: true }, []],
  [
    'values, by name',
    { pagesMax: 20, colour: true, marks: true },
    { pagesMax: 24, colour: false, marks: true },
    [
      { term: 'colour', before: true, after: false },
      { term: 'pagesMax', before: 20, after: 24 },
    ],
  ],
  [
    'lists',
    { callbackStatuses: ['DESPATCHED'] },
    { callbackStatuses: ['DESPATCHED', 'REJECTED'] },
    [{ term: 'callbackStatuses', before: ['DESPATCHED'], after: ['DESPATCHED', 'REJECTED'] }],
  ],
  [
    'a value that is given, and one that is removed',
    { retentionDays: null, suppliedFileKey: 'pdf' },
    { retentionDays: 30, suppliedFileKey: null },
    [
      { term: 'retentionDays', after: 30 },
      { term: 'suppliedFileKey', before: 'pdf' },
    ],
  ],
  [
    'a value in place of none',
    { retentionDays: undefined, pagesMax: undefined },
    { retentionDays: 30, pagesMax: null },
    [{ term: 'retentionDays', after: 30 }],
  ],
  ['no term that was not known then', { pagesMax: 20 }, { pagesMax: 20, strict: false }, []],
])('finds %s', (_what, before, after, changes) => {
  expect(termChanges(before, after)).toStrictEqual(changes)
})
