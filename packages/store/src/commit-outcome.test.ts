import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { expect, test } from 'vitest'
import { confirmCommit } from './commit-outcome.ts'

const times = { began: '2026-11-26 10:00:00+00', serverBegan: '2026-11-25 10:00:00+00' }
const mark = { xid: '700', lsn: '0/200', checkpoint: '0/100', ...times }
const lost = new Error('Connection terminated unexpectedly')
const answering = (...answers: unknown[]) => {
  const left = [...answers]
  return async () => {
    const answer = left.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
}

test('what is committed is confirmed, once the server knows', async () => {
  const ask = answering(
    { status: 'in progress', isLogLost: false },
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    { status: 'committed', isLogLost: false },
  )

  await expect(confirmCommit(mark, lost, ask)).resolves.toBeUndefined()
})

test.each([
  ['rolled back', { status: 'aborted', isLogLost: false }],
  ['lost in a crash', Object.assign(new Error('in the future'), { code: '22023' })],
])('what is %s is the fault that COMMIT had', async (_what, answer) => {
  await expect(confirmCommit(mark, lost, answering(answer))).rejects.toBe(lost)
})

test.each([
  ['the id may be that of another transaction after a crash', 'committed', true],
  ['the database has forgotten the id', null, false],
])('the outcome is unknown when %s', async (_what, status, isLogLost) => {
  await expect(confirmCommit(mark, lost, answering({ status, isLogLost }))).rejects.toThrow(
    DependencyUnavailable,
  )
})

test('a COMMIT that the database answered with a fault is not asked about', async () => {
  const fault = Object.assign(new Error('deferred'), { code: '23505' })

  await expect(confirmCommit(mark, fault, answering())).rejects.toBe(fault)
})

test('a transaction that wrote nothing has nothing to lose', async () => {
  const readOnly = { xid: null, lsn: null, checkpoint: '0/100', ...times }

  await expect(confirmCommit(readOnly, lost, answering())).resolves.toBeUndefined()
})
