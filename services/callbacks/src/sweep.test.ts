import { expect, test } from 'vitest'
import { checkSweep } from './sweep.ts'

const now = new Date('2026-03-02T10:00:00Z')
const sweepAt = (time: string) => ({ lastPassAt: () => new Date(`2026-03-02T${time}Z`) })

const passes: [time: string, everyMs: number, check: object][] = [
  ['09:59:59', 5_000, { name: 'sweep', ok: true }],
  ['09:59:10', 5_000, { name: 'sweep', ok: true }],
  ['09:59:09', 5_000, { name: 'sweep', ok: false, reason: 'no good pass for 51 s' }],
  ['09:59:30', 50, { name: 'sweep', ok: true }],
  ['09:59:29', 50, { name: 'sweep', ok: false, reason: 'no good pass for 31 s' }],
]

test.for(passes)('at 10:00, last pass at %s, every %i ms: %j', ([time, everyMs, check]) => {
  expect(checkSweep(sweepAt(time), everyMs, now)).toEqual(check)
})
