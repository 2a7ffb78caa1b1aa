import { expect, test } from 'vitest'
import { type PeriodicTaskRun, passAgeMsMax, stateOfPeriodicTask } from './periodic-task.ts'

const now = new Date('2026-12-01T12:00:00Z')
const ago = (seconds: number) => new Date(+now - seconds * 1000)
const calm: PeriodicTaskRun = {
  everyMs: 10_000,
  seenAt: ago(10),
  lookedAt: ago(20),
  beganAt: null,
  failedAt: null,
}

test.for<[string, Partial<PeriodicTaskRun>, string]>([
  ['a task that is looked at', {}, 'ok'],
  ['reported a minute ago', { seenAt: ago(60), lookedAt: ago(60) }, 'ok'],
  ['reported more than a minute ago', { seenAt: ago(61), lookedAt: ago(61) }, 'absent'],
  ['its last pass failed', { failedAt: ago(19) }, 'failing'],
  ['no pass has succeeded yet', { lookedAt: null, failedAt: ago(19) }, 'failing'],
  ['a pass has succeeded since it failed', { failedAt: ago(21) }, 'ok'],
  ['ten intervals old at its report', { lookedAt: ago(110) }, 'ok'],
  ['more than ten intervals old at its report', { lookedAt: ago(111) }, 'late'],
  ['old, but a pass is under way', { lookedAt: ago(3_000), beganAt: ago(2_990) }, 'ok'],
  ['its first pass is under way', { lookedAt: null, beganAt: ago(50) }, 'ok'],
])('the state of a periodic task: %s', ([, run, state]) => {
  expect(stateOfPeriodicTask({ ...calm, ...run }, now)).toBe(state)
})

test.for([
  [100, 30_000],
  [3_000, 30_000],
  [3_001, 30_010],
])('with an interval of %i ms, a pass may be %i ms old', ([everyMs, ageMs]) => {
  expect(passAgeMsMax(everyMs!)).toBe(ageMs)
})
