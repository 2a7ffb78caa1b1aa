import { describe, expect, test } from 'vitest'
import { DependencyUnavailable, unavailableDependency } from './unavailable-dependency.ts'

const withCode = (code: string) => Object.assign(new Error('as the driver says'), { code })

describe('reports an outage of the database', () => {
  test.each([
    ['connection failure', '08006'],
    ['too many connections', '53300'],
    ['disk full', '53100'],
    ['I/O error', '58030'],
    ['administrator shutdown', '57P01'],
    ['crash of another session', '57P02'],
    ['starting up', '57P03'],
    ['read only after a failover', '25006'],
    ['nobody listens', 'ECONNREFUSED'],
    ['reset', 'ECONNRESET'],
  ])('%s', (_what, code) => {
    expect(unavailableDependency(withCode(code))).toBe('database')
  })

  test.each(['Connection terminated unexpectedly', 'Query read timeout'])('%s', (message) => {
    expect(unavailableDependency(new Error(message))).toBe('database')
  })
})

describe('reports no outage', () => {
  test.each([
    ['unique violation', '23505'],
    ['bad input', '22P02'],
    ['statement timeout', '57014'],
    ['deadlock', '40P01'],
    ['undefined column', '42703'],
    ['a longer code', '080066'],
    ['a code with another beginning', 'A08006'],
  ])('%s', (_what, code) => {
    expect(unavailableDependency(withCode(code))).toBeUndefined()
  })

  test.each([undefined, 'ECONNREFUSED', new Error('A pinned file is missing'), new TypeError('x')])(
    '%s',
    (error) => {
      expect(unavailableDependency(error)).toBeUndefined()
    },
  )
})

test('the error of an adapter names its dependency, with any cause', () => {
  const error = new DependencyUnavailable('object-store', { cause: withCode('ECONNREFUSED') })

  expect(unavailableDependency(error)).toBe('object-store')
})
