import { expect, test } from 'vitest'
import type { DocumentState } from './document-progress.ts'
import { isAbsent, type RecallStatus, refusalOnBehalf } from './posting-on-behalf.ts'

const at = new Date('2026-11-20T12:00:00Z')
const before = (seconds: number) => new Date(+at - seconds * 1_000)

test.for<[number | null, number | null, boolean]>([
  [null, null, true],
  [3_600, null, false],
  [3_601, null, true],
  [60, 60, false],
  [61, 60, true],
  [86_400, 86_400, false],
  [null, 86_400, true],
])(
  'a provider last seen %s s ago with a limit of %s s is absent: %s',
  ([ago, awaySecondsMax, absent]) => {
    const lastHeardAt = ago === null ? null : before(ago)

    expect(isAbsent({ lastHeardAt, awaySecondsMax }, at)).toBe(absent)
  },
)

const fresh: DocumentState = { firstAttempt: 1, attempt: 1, progress: null, outcome: null }

test.for<[Partial<DocumentState>, RecallStatus, boolean, string | undefined]>([
  [{}, null, true, undefined],
  [{ progress: 'PRINTED' }, null, true, undefined],
  [{ attempt: 2 }, null, true, undefined],
  [{}, 'TOO_LATE', true, undefined],
  [{}, 'TOO_LATE', false, undefined],
  [{}, null, false, 'provider-present'],
  [{}, 'OPEN', true, 'asked-back'],
  [{}, 'OPEN', false, 'asked-back'],
  [{ progress: 'SPOILED' }, 'TOO_LATE', true, 'spoiled'],
  [{ progress: 'SPOILED', outcome: 'FAILED' }, null, true, 'ended'],
  [{ outcome: 'DESPATCHED' }, 'TOO_LATE', true, 'ended'],
  [{ outcome: 'RECALLED' }, null, false, 'ended'],
])('%o, recall %s, provider absent %s: %s', ([standing, recall, isProviderAbsent, refusal]) => {
  expect(refusalOnBehalf({ ...fresh, ...standing }, { recall, isProviderAbsent })).toBe(refusal)
})
