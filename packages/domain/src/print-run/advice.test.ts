import { expect, test } from 'vitest'
import { type Advice, adviceOn } from './advice.ts'
import type { PrintRunState } from './state.ts'

const missing = { progress: null, isReprintWaiting: false, isTooLate: false }

test.each<[Partial<Parameters<typeof adviceOn>[0]>, PrintRunState, Advice]>([
  [{}, 'IN_PRODUCTION', 'recall'],
  [{ isReprintWaiting: true }, 'REFUSED', 'move-run'],
  [{ progress: 'SPOILED', isReprintWaiting: true }, 'ACCEPTED', 'decide-reprint'],
  [{ isTooLate: true }, 'POSTED', 'post'],
  [{ progress: 'SPOILED', isTooLate: true }, 'IN_PRODUCTION', 'recall'],
])('a document that is %o in a run that is %s gets the advice %s', (facts, state, advice) => {
  expect(adviceOn({ ...missing, ...facts }, state)).toBe(advice)
})
