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
    expect(runsSimulator({ DESPATCH_DATA_DIR, ...config }, environment, 'made')).toBe(expected)
  })

  test('is refused in production', () => {
    expect(() => refuseInProduction(on, production)).toThrow(
      'DESPATCH_SIMULATOR must be off, because DESPATCH_ENVIRONMENT is production',
    )
    expect(() => refuseInProduction({}, production)).not.toThrow()
    expect(() => refuseInProduction(on, {})).not.toThrow()
  })

  test('is refused without the credentials of its provider', () => {
    const config = { DESPATCH_DATA_DIR, ...database }
    expect(() => runsSimulator({ ...config, ...on }, {}, 'elsewhere')).toThrow(
      /^DESPATCH_SIMULATOR must be off, because the provider's credentials are not here: .*reset-password/,
    )
    expect(runsSimulator(config, {}, 'elsewhere')).toBe(false)
  })

  test('runs later only where the data directory began with it and no start turned it off', async () => {
    const config = { DESPATCH_DATA_DIR }
    const runsLater = () => runsSimulator(config, {}, 'file')

    await rememberSimulator(config, { isFirstStart: false, isSimulated: true })
    expect(runsLater()).toBe(false)
    expect(runsSimulator({ ...config, ...on }, {}, 'renewed')).toBe(true)

    await rememberSimulator(config, { isFirstStart: true, isSimulated: true })
    expect(runsLater()).toBe(true)
    await rememberSimulator({ ...config, ...off }, { isFirstStart: false, isSimulated: false })
    expect(runsLater()).toBe(false)
  })
})
