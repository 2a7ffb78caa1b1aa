import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { refuseInProduction, rememberSimulator, runsSimulator } from './simulator.ts'

const database = { DATABASE_URL: 'postgres://db/despatch' }
const objects = { S3_ENDPOINT: 'http://objects' }
const production = { DESPATCH_ENVIRONMENT: 'production' }
const on = { DESPATCH_SIMULATOR: 'on' } as const
const off = { DESPATCH_SIMULATOR: 'off' } as const

const DESPATCH_DATA_DIR = await mkdtemp(join(tmpdir(), 'despatch-simulator-'))
afterAll(() => rm(DESPATCH_DATA_DIR, { recursive: true, force: true }))
const firstStart = { isFirstStart: true }
const laterStart = { isFirstStart: false }

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
    expect(runsSimulator({ DESPATCH_DATA_DIR, ...config }, environment, firstStart)).toBe(expected)
  })

  test('is refused in production', () => {
    expect(() => refuseInProduction(on, production)).toThrow(
      'DESPATCH_SIMULATOR must be off, because DESPATCH_ENVIRONMENT is production',
    )
    expect(() => refuseInProduction({}, production)).not.toThrow()
    expect(() => refuseInProduction(on, {})).not.toThrow()
  })

  test('runs later only where the data directory began with it and no start turned it off', async () => {
    const config = { DESPATCH_DATA_DIR }
    const runsLater = () => runsSimulator(config, {}, laterStart)

    await rememberSimulator(config, { isFirstStart: false, isSimulated: true })
    expect(runsLater()).toBe(false)
    expect(runsSimulator({ ...config, ...on }, {}, laterStart)).toBe(true)

    await rememberSimulator(config, { isFirstStart: true, isSimulated: true })
    expect(runsLater()).toBe(true)
    await rememberSimulator({ ...config, ...off }, { isFirstStart: false, isSimulated: false })
    expect(runsLater()).toBe(false)
  })
})
