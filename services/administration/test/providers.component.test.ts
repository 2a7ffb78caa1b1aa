import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())

const site = {
  enabled: true,
  share: 100,
  reprintsFreeMax: 10,
  reprintsFreePercent: 1,
  capabilities: unrestrictedCapabilities,
  routedToday: 0,
}
const terms = { enabled: true, share: 40, reprintsFreeMax: 5, reprintsFreePercent: 2.5 }

const recordedOf = (action: string, about: string) =>
  administration.audited(`action=${action}&about=${about}`)

test("GET /providers: 200, by id with sites, when each was last seen, and today's documents", async () => {
  const { db } = administration
  const seenAt = new Date('2026-11-20T09:00:00Z')
  await db.updateTable('provider').set({ last_seen_at: seenAt }).where('id', '=', 'north').execute()
  await administration.asAdmin('PUT', '/providers/north/sites/ATTIC', { ...terms, enabled: false })
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' }).format(new Date())
  await sql`
    insert into count_change (what, subject, state, count)
    values ('routed', 'north NORTH', ${today}, 9), ('routed', 'north NORTH', ${today}, -2),
      ('routed', 'north ATTIC', '2026-01-01', 7)`.execute(db)

  const { status, body } = await administration.asOperator('GET', '/providers')

  const north = { providerId: 'north', name: 'North', exchange: 'http' }
  expect([status, body.providers]).toEqual([
    200,
    [
      {
        ...north,
        lastSeenAt: '2026-11-20T09:00:00.000Z',
        sites: [
          { ...site, ...terms, enabled: false, printLocation: 'ATTIC' },
          { ...site, printLocation: 'NORTH', routedToday: 7 },
        ],
      },
    ],
  ])
})

describe('POST /providers', () => {
  test('201: creates a provider whose sites get no work yet, and its consumer acts for it', async () => {
    const west = { exchange: 'file-drop', awaySecondsMax: 3_600 }
    const given = { providerId: 'west', name: 'West Print', ...west }
    const made = await administration.asAdmin('POST', '/providers', {
      ...given,
      printLocations: ['HALL', 'YARD', 'HALL'],
    })
    const acts = { roles: ['provider'], providerId: 'west' }
    const consumer = { userName: 'west-1', name: 'West Print', ...acts }

    const off = { ...site, enabled: false }
    const sites = ['HALL', 'YARD'].map((printLocation) => ({ ...off, printLocation }))
    expect([made.status, made.body]).toEqual([201, { ...given, sites }])
    expect(await administration.asAdmin('POST', '/consumers', consumer)).toMatchObject({
      status: 201,
      body: acts,
    })
    expect(await recordedOf('provider.created', 'west')).toMatchObject([
      { detail: { providerId: 'west', ...west, printLocations: ['HALL', 'YARD'] } },
    ])
  })

  test('409: the id is taken', async () => {
    const body = { providerId: 'north', name: 'Another', printLocations: ['X'] }

    const detail = 'Print provider north already exists'
    expect(await administration.asAdmin('POST', '/providers', body)).toMatchObject(
      aProblem(409, { code: 'ProviderTaken', detail }),
    )
    const { body: listed } = await administration.asAdmin('GET', '/providers')
    expect(JSON.stringify(listed)).not.toContain('Another')
  })
})

test('PUT /providers/{providerId}: 200, replaces the provider, and audits a change once', async () => {
  const change = { name: 'Northern', exchange: 'http', awaySecondsMax: 600 }

  const changed = await administration.asAdmin('PUT', '/providers/north', change)
  const again = await administration.asAdmin('PUT', '/providers/north', change)
  const back = await administration.asAdmin('PUT', '/providers/north', {
    name: 'North',
    exchange: 'http',
  })

  expect(changed).toMatchObject({ status: 200, body: { providerId: 'north', ...change } })
  expect(again.body).toEqual(changed.body)
  expect(back.body).not.toHaveProperty('awaySecondsMax')
  expect(await recordedOf('provider.saved', 'north')).toHaveLength(2)
})

test('PUT /providers/{providerId}/sites/{printLocation}: 201, then 200, creates a site that can print everything, then replaces its terms', async () => {
  const path = '/providers/north/sites/New%20hall'

  const made = await administration.asAdmin('PUT', path, terms)
  const again = await administration.asAdmin('PUT', path, terms)
  const changed = await administration.asAdmin('PUT', path, { ...terms, enabled: false })

  expect([made.status, made.body]).toEqual([201, { ...site, ...terms, printLocation: 'New hall' }])
  expect([again.status, again.body]).toEqual([200, made.body])
  expect([changed.status, changed.body]).toEqual([200, { ...made.body, enabled: false }])
  const saved = await recordedOf('print-site.saved', encodeURIComponent('New hall'))
  expect(saved).toHaveLength(2)
  expect(saved.at(-1)).toMatchObject({
    detail: { providerId: 'north', printLocation: 'New hall', ...terms },
  })
})
