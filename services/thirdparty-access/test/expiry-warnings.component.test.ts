import { eventually } from '@despatch/testing/eventually'
import { expect, onTestFinished, test } from 'vitest'
import { warnOfExpiringCredentials } from '../src/upkeep/expiry-warnings.ts'
import { isoDay, startAccess } from './an-access-service.ts'

const now = new Date('2026-06-01T09:00:00Z')

/** A service in which no credentials expire for years, except those that a test changes. */
async function anAccessService() {
  const access = await startAccess()
  onTestFinished(() => access.stop())
  await access.db
    .updateTable('consumer')
    .set({ password_expires_on: '2099-01-01', api_key_expires_on: '2099-01-01' })
    .execute()
  const told = async (at: Date) => {
    const warnings: string[] = []
    await warnOfExpiringCredentials(access.db, {
      now: at,
      tell: ({ credential, daysLeft }) => warnings.push(`${credential} ${daysLeft}`),
    })
    return warnings
  }
  return { ...access, told }
}

const daysLater = (days: number) => new Date(now.getTime() + days * 24 * 60 * 60 * 1000)

test('warns once each 30, 7 and 1 days before the expiry', async () => {
  const { told, change } = await anAccessService()
  await change({ password_expires_on: isoDay(daysLater(31)) })

  const warnings: Record<number, string[]> = {}
  for (let day = 0; day <= 33; day += 1) {
    const today = [...(await told(daysLater(day))), ...(await told(daysLater(day)))]
    if (today.length > 0) warnings[day] = today
  }

  expect(warnings).toEqual({ 1: ['password 30'], 24: ['password 7'], 30: ['password 1'] })
})

test('only one of several concurrent processes warns', async () => {
  const { told, change } = await anAccessService()
  await change({ api_key_expires_on: isoDay(daysLater(5)) })

  const warnings = await Promise.all([told(now), told(now), told(now)])

  expect(warnings.flat()).toEqual(['api-key 5'])
})

test('warns again when a renewed credential expires, and never for a disabled consumer', async () => {
  const { told, change } = await anAccessService()
  await change({ api_key_expires_on: isoDay(daysLater(1)) })
  expect(await told(now)).toEqual(['api-key 1'])

  await change({ api_key_expires_on: isoDay(daysLater(366)) })
  expect(await told(daysLater(365))).toEqual(['api-key 1'])
  await change({ api_key_expires_on: isoDay(daysLater(800)), disabled_at: new Date() })
  expect(await told(daysLater(799))).toEqual([])
})

test('the service logs a warning by id, and exposes counts in its metrics', async () => {
  const { another, change, clock, lines, consumerId, service } = await anAccessService()
  const inDays = (days: number) => isoDay(new Date(clock.now.getTime() + days * 86_400_000))
  await change({ password_expires_on: inDays(7), api_key_expires_on: inDays(30) })

  await another()

  const logged = await eventually(
    () => {
      const found = lines.filter((line) => line.includes('credential.expires-soon'))
      return found.length === 2 && found.map((line) => JSON.parse(line))
    },
    { message: 'both warnings are logged' },
  )
  expect(logged).toMatchObject([
    { level: 'warn', consumerId, kind: 'password', days: 7, expiresOn: inDays(7) },
    { level: 'warn', consumerId, kind: 'api-key', days: 30, expiresOn: inDays(30) },
  ])
  const { body } = await service.api.inject({ url: '/metrics' })
  const figures = body.split('\n').filter((line) => line.startsWith('credentials_expiring{'))
  expect(figures.map((line) => line.replace(/,?service="[^"]*",?/, '')).sort()).toEqual([
    'credentials_expiring{credential="api-key",days="1"} 0',
    'credentials_expiring{credential="api-key",days="30"} 1',
    'credentials_expiring{credential="api-key",days="7"} 0',
    'credentials_expiring{credential="password",days="1"} 0',
    'credentials_expiring{credential="password",days="30"} 1',
    'credentials_expiring{credential="password",days="7"} 1',
  ])
})
