import { expect, test } from 'vitest'
import { classOfFault } from './fault-class.ts'
import { DependencyUnavailable } from './unavailable-dependency.ts'

const withCode = (error: Error, code: unknown) => Object.assign(error, { code })

/** An error whose `name` is set, like that of an error of PostgreSQL. */
const named = (name: string) => Object.assign(new Error('value of Ms Ada Example'), { name })

test.each([
  ['a class of its own', new TypeError('of Ms Ada Example'), 'TypeError'],
  ['a place that refuses', withCode(new Error('refused'), 'ECONNREFUSED'), 'ECONNREFUSED'],
  ['several places that do', withCode(new AggregateError([]), 'ECONNREFUSED'), 'ECONNREFUSED'],
  ['a class and a code', withCode(new TypeError('invalid'), 'ERR_INVALID_URL'), 'TypeError'],
  ['what the database says', withCode(named('error'), 'DS001'), 'DS001'],
  [
    'what an adapter saw of an outage',
    new DependencyUnavailable('object-store', { cause: withCode(new Error('a'), 'ECONNREFUSED') }),
    'ECONNREFUSED',
  ],
  [
    'an outage of which it saw nothing',
    new DependencyUnavailable('queue'),
    'DependencyUnavailable',
  ],
  ['neither', new Error('of Ms Ada Example'), 'Error'],
  ['a code that is data', withCode(new Error('odd'), 'Ms Ada Example'), 'Error'],
  ['a code before data', withCode(new Error('odd'), 'ENOENT Ada'), 'Error'],
  ['a code after data', withCode(new Error('odd'), 'Ada ENOENT'), 'Error'],
  ['a code that is a number', withCode(new Error('odd'), 10_054), 'Error'],
  ['what is no error', 'Ms Ada Example', 'Error'],
])('%s', (_, error, expected) => {
  expect(classOfFault(error)).toBe(expected)
})
