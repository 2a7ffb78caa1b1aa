import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { providerSimulatorConfig } from './config.ts'
import { readFloorSettings } from './floor-settings.ts'

const required = {
  DESPATCH_BASE_URL: 'http://localhost',
  DESPATCH_PROVIDER_USER_NAME: 'factory',
  DESPATCH_PROVIDER_PASSWORD: 'password',
  DESPATCH_PROVIDER_API_KEY: 'key',
  DESPATCH_PROVIDER_DIRECTORY: '.',
}
const read = (environment: Record<string, string>) =>
  readConfig(providerSimulatorConfig, { ...required, ...environment })

test('a factory works well by default', () => {
  expect(readFloorSettings(read({}))).toEqual({
    printTimeMs: 2_000,
    leaseSeconds: undefined,
    failureRates: {
      seed: 'despatch',
      refusalRate: 0,
      spoilRate: 0,
      failRate: 0,
      divertRate: 0,
      returnRate: 0,
    },
    reporting: { seed: 'despatch', eventsPerCall: 2_500, duplicateRate: 0, isShuffled: false },
    crashAt: [],
  })
})

test('every misfortune can be set', () => {
  const config = read({
    DESPATCH_SIMULATOR_SEED: 'other',
    DESPATCH_SIMULATOR_SPOIL_RATE: '0.05',
    DESPATCH_SIMULATOR_REFUSAL_RATE: '1',
    DESPATCH_SIMULATOR_EVENT_SHUFFLE: 'true',
    DESPATCH_SIMULATOR_CRASH_AT: 'after-claim, before-close',
    DESPATCH_SIMULATOR_PRINT_LOCATIONS: 'NORTH,SOUTH',
    DESPATCH_SIMULATOR_CLOCK_SKEW_SECONDS: '-3600',
  })

  expect(readFloorSettings(config)).toMatchObject({
    failureRates: { seed: 'other', spoilRate: 0.05, refusalRate: 1 },
    reporting: { isShuffled: true },
    crashAt: ['after-claim', 'before-close'],
  })
  expect(config.DESPATCH_SIMULATOR_PRINT_LOCATIONS).toEqual(['NORTH', 'SOUTH'])
  expect(config.DESPATCH_SIMULATOR_CLOCK_SKEW_SECONDS).toBe(-3_600)
})

test.each([
  ['DESPATCH_SIMULATOR_SPOIL_RATE', '1.1', 'must be a fraction from 0 to 1, such as 0.05'],
  ['DESPATCH_SIMULATOR_SPOIL_RATE', '-1', 'must be a fraction from 0 to 1, such as 0.05'],
  ['DESPATCH_SIMULATOR_LOST_REPLY_RATE', '1', 'must be a fraction from 0 to 0.9, such as 0.05'],
  ['DESPATCH_SIMULATOR_EVENTS_PER_CALL', '2501', 'must be a whole number from 1 to 2500'],
  ['DESPATCH_SIMULATOR_CRASH_AT', 'after-lunch', 'must be some of after-claim, after-fetch,'],
  ['DESPATCH_SIMULATOR_PRINT_LOCATIONS', 'NORTH,,', 'must be print locations, separated by commas'],
])('%s cannot be %s', (name, value, message) => {
  expect(() => read({ [name]: value })).toThrow(`${name} ${message}`)
})
