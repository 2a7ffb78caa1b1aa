import { describe, expect, test } from 'vitest'
import { runsSimulator } from './simulator.ts'

const database = { DATABASE_URL: 'postgres://db/despatch' }
const objects = { S3_ENDPOINT: 'http://objects' }
const production = { DESPATCH_ENVIRONMENT: 'production' }
const on = { DESPATCH_SIMULATOR: 'on' } as const
const off = { DESPATCH_SIMULATOR: 'off' } as const

describe('the simulated factory', () => {
  test.each([
    ['runs where everything is embedded', {}, {}, true],
    ['runs in the test environment', {}, { DESPATCH_ENVIRONMENT: 'uat' }, true],
    ['is turned off by its setting', off, {}, false],
    ['does not run with a given database', database, {}, false],
    ['does not run with a given object store', objects, {}, false],
    ['runs with given servers if it is wanted', { ...database, ...objects, ...on }, {}, true],
    ['does not run in production', {}, production, false],
  ])('%s', (_, config, environment, expected) => {
    expect(runsSimulator(config, environment)).toBe(expected)
  })

  test('is refused in production', () => {
    expect(() => runsSimulator(on, production)).toThrow(
      'DESPATCH_SIMULATOR must be off, because DESPATCH_ENVIRONMENT is production',
    )
  })
})
