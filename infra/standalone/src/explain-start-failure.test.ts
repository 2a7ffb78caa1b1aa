import { expect, test } from 'vitest'
import { explainStartFailure } from './explain-start-failure.ts'

test.each([
  [
    'a port in use',
    Object.assign(new Error('listen'), { code: 'EADDRINUSE', port: 8080 }),
    'port 8080 is in use. Set DESPATCH_PORT and DESPATCH_OPS_PORT to other ports, or to 0 for free ones.',
  ],
  [
    'wrong settings, each on its line',
    Object.assign(new Error('PORT is required\nHOST is wrong'), { name: 'ConfigError' }),
    '\nPORT is required\nHOST is wrong',
  ],
  [
    'an error with its causes',
    new Error('Migration 0001 failed', { cause: new Error('disk full') }),
    'Migration 0001 failed: disk full',
  ],
  [
    'an error of several attempts',
    new Error('The database cannot be reached', {
      cause: new AggregateError([new Error('connect ECONNREFUSED'), new Error('the other')]),
    }),
    'The database cannot be reached: connect ECONNREFUSED',
  ],
])('%s', (_name, error, text) => {
  expect(explainStartFailure(error)).toBe(text)
})
