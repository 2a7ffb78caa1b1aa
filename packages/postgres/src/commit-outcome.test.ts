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

test('a commit whose reply was lost is confirmed once the server knows the outcome', async () => {
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
])('a transaction that was %s fails with the error of its COMMIT', async (_what, answer) => {
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

test('a COMMIT that the database refused fails without asking for the outcome', async () => {
  const fault = Object.assign(new Error('deferred'), { code: '23505' })

  await expect(confirmCommit(mark, fault, answering())).rejects.toBe(fault)
})

test('the commit of a transaction that wrote nothing is confirmed without asking', async () => {
  const readOnly = { xid: null, lsn: null, checkpoint: '0/100', ...times }

  await expect(confirmCommit(readOnly, lost, answering())).resolves.toBeUndefined()
})
