import { expect, test } from 'vitest'
import { logReadFailures } from './log-read-failures.ts'

test('an outage gets one line a minute without a stack, any other fault a line each time', () => {
  const lines: unknown[] = []
  let nowMs = 0
  const log = {
    warn: (...line: unknown[]) => void lines.push(line),
    error: (...line: unknown[]) => void lines.push(line),
  }
  const onError = logReadFailures(log as never, () => nowMs)
  const refused = Object.assign(new Error('of SECRET'), { code: 'ECONNREFUSED' })
  const defect = new TypeError('no such column')

  for (const atMs of [0, 1_000, 59_999, 60_000]) {
    nowMs = atMs
    onError(refused)
  }
  onError(defect)
  onError(defect)

  const outage = { dependency: 'database', fault: 'ECONNREFUSED' }
  expect(lines).toEqual([
    [outage, 'ops-console.trouble'],
    [outage, 'ops-console.trouble'],
    [{ err: defect }, 'ops-console.trouble'],
    [{ err: defect }, 'ops-console.trouble'],
  ])
})
