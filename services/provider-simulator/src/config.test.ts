import { readConfig } from '@despatch/config/read-config'
import { expect, test } from 'vitest'
import { providerSimulatorConfig } from './config.ts'

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
  expect(read({ DESPATCH_SIMULATOR_FLOOR: '{}' }).DESPATCH_SIMULATOR_FLOOR).toEqual({
    pollIntervalMs: 2_000,
    printTimeMs: 2_000,
    seed: 'despatch',
    refusalRate: 0,
    spoilRate: 0,
    failRate: 0,
    divertRate: 0,
    returnRate: 0,
    lostReplyRate: 0,
    eventDuplicateRate: 0,
    eventShuffle: false,
    eventsPerCall: 2_500,
    clockSkewSeconds: 0,
    crashAt: [],
  })
})

test('every misfortune can be set', () => {
  const floor = {
    seed: 'other',
    spoilRate: 0.05,
    refusalRate: 1,
    eventShuffle: true,
    crashAt: ['after-claim', 'before-close'],
    clockSkewSeconds: -3_600,
    printLocations: ['NORTH', 'SOUTH'],
  }
  const config = read({ DESPATCH_SIMULATOR_FLOOR: JSON.stringify(floor) })

  expect(config.DESPATCH_SIMULATOR_FLOOR).toMatchObject(floor)
})

test.each([
  ['{"spoilRate":1.1}', 'has a wrong member: spoilRate: Too big'],
  ['{"spoilRate":-1}', 'has a wrong member: spoilRate: Too small'],
  ['{"lostReplyRate":1}', 'has a wrong member: lostReplyRate: must be at most 0.9'],
  ['{"eventsPerCall":2501}', 'has a wrong member: eventsPerCall: Too big'],
  ['{"crashAt":["after-lunch"]}', 'has a wrong member: crashAt.0: Invalid option'],
  ['{"spoilrate":1}', 'has a wrong member: : Unrecognized key'],
  ['{"printLocations":[""]}', 'has a wrong member: printLocations.0: Too small'],
  ['spoilRate=1', 'must be a JSON object'],
])('the floor cannot be %s', (value, message) => {
  expect(() => read({ DESPATCH_SIMULATOR_FLOOR: value })).toThrow(
    `DESPATCH_SIMULATOR_FLOOR ${message}`,
  )
})
