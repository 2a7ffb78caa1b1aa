import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { describe, expect, test } from 'vitest'
import { repeatLost, untilAnswered } from './lost-reply.ts'

const withCode = (code: string) => Object.assign(new Error('as the driver says'), { code })
const lost = new Error('Connection terminated unexpectedly')

/** Throws each of these faults in turn, and then answers. */
function failing(...faults: Error[]) {
  let asked = 0
  const ask = async () => {
    const fault = faults[asked++]
    if (fault) throw fault
    return 'answer'
  }
  return { ask, asked: () => asked }
}

describe('a repeatable write', () => {
  test.each([
    ['lost', lost],
    ['reset', withCode('ECONNRESET')],
    ['ended by an administrator', withCode('57P01')],
  ])('is sent again when its connection is %s', async (_what, fault) => {
    expect(await repeatLost(failing(fault).ask)).toBe('answer')
  })

  test('is sent until the database is back', async () => {
    const { ask, asked } = failing(lost, withCode('ECONNREFUSED'), withCode('57P03'))

    expect(await repeatLost(ask)).toBe('answer')
    expect(asked()).toBe(4)
  })

  test.each([
    ['nobody listens', withCode('ECONNREFUSED')],
    ['there is no token to sign in with', withCode('08001')],
    ['the database starts up', withCode('57P03')],
    ['there are too many connections', withCode('53300')],
    ['the disk is full', withCode('53100')],
    ['the disk fails', withCode('58030')],
    ['the statement is at fault', withCode('23505')],
    ['the code is at fault', new TypeError('x')],
  ])('is sent only once when %s', async (_what, fault) => {
    const { ask, asked } = failing(fault)

    await expect(repeatLost(ask)).rejects.toBe(fault)
    expect(asked()).toBe(1)
  })
})

test('a lost reply without an outcome by the deadline is an outage, with the first error as cause', async () => {
  const ask = async () => undefined

  const answer = untilAnswered(ask, lost, { deadlineMs: 100 })

  await expect(answer).rejects.toThrow(DependencyUnavailable)
  await expect(answer).rejects.toMatchObject({ dependency: 'database', cause: lost })
})

test('an error other than an outage ends the retries', async () => {
  await expect(untilAnswered(failing(withCode('42703')).ask, lost)).rejects.toThrow(
    'as the driver says',
  )
})
