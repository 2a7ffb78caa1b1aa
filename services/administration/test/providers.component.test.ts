import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

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

async function recorded(): Promise<{ action: string; detail: unknown }[]> {
  const { body } = await administration.asAdmin('GET', '/audit-events?limit=10')
  return body.auditEvents.map(({ action, detail }: { action: string; detail: unknown }) => ({
    action,
    detail,
  }))
}

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

  const { status, body } = await administration.as('operator', 'GET', '/providers')

  expect(status).toBe(200)
  expect(body.providers.find(({ providerId }: { providerId: string }) => providerId === 'north'))
    // the whole body
    .toEqual({
      providerId: 'north',
      name: 'North',
      exchange: 'http',
      lastSeenAt: '2026-11-20T09:00:00.000Z',
      sites: [
        { ...site, ...terms, enabled: false, printLocation: 'ATTIC' },
        { ...site, printLocation: 'NORTH', routedToday: 7 },
      ],
    })
})

describe('POST /providers', () => {
  test('201: creates a provider whose sites get no work yet, and its consumer acts for it', async () => {
    const made = await administration.asAdmin('POST', '/providers', {
      providerId: 'west',
      name: 'West Print',
      exchange: 'file-drop',
      awaySecondsMax: 3_600,
      printLocations: ['HALL', 'YARD', 'HALL'],
    })
    const consumer = await administration.asAdmin('POST', '/consumers', {
      userName: 'west-1',
      name: 'West Print',
      roles: ['provider'],
      providerId: 'west',
    })

    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({
      providerId: 'west',
      name: 'West Print',
      exchange: 'file-drop',
      awaySecondsMax: 3_600,
      sites: [
        { ...site, enabled: false, printLocation: 'HALL' },
        { ...site, enabled: false, printLocation: 'YARD' },
      ],
    })
    expect(consumer).toMatchObject({
      status: 201,
      body: { roles: ['provider'], providerId: 'west', apiKey: expect.any(String) },
    })
    expect(await recorded()).toContainEqual({
      action: 'provider.created',
      detail: {
        providerId: 'west',
        exchange: 'file-drop',
        awaySecondsMax: 3_600,
        printLocations: ['HALL', 'YARD'],
      },
    })
  })

  test('409: the id is taken', async () => {
    const body = { providerId: 'north', name: 'Another', printLocations: ['X'] }

    expect(await administration.asAdmin('POST', '/providers', body)).toMatchObject(
      refusal(
        '409 CONFLICT',
        'ProviderTaken',
        'Print provider north already exists',
        'Provider id is taken',
      ),
    )
    const { body: listed } = await administration.asAdmin('GET', '/providers')
    expect(JSON.stringify(listed)).not.toContain('Another')
  })
})

describe('PUT /providers/{providerId}', () => {
  test('200: replaces the provider, and audits a change once', async () => {
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
    const saved = (await recorded()).filter(({ action }) => action === 'provider.saved')
    expect(saved).toHaveLength(2)
  })
})

describe('PUT /providers/{providerId}/sites/{printLocation}', () => {
  test('201, then 200: creates a site that can print everything, then replaces its terms', async () => {
    const path = '/providers/north/sites/New%20hall'

    const made = await administration.asAdmin('PUT', path, terms)
    const again = await administration.asAdmin('PUT', path, terms)
    const changed = await administration.asAdmin('PUT', path, { ...terms, enabled: false })

    expect([made.status, made.body]).toEqual([
      201,
      { ...site, ...terms, printLocation: 'New hall' },
    ])
    expect([again.status, again.body]).toEqual([200, made.body])
    expect([changed.status, changed.body]).toEqual([200, { ...made.body, enabled: false }])
    const saved = (await recorded()).filter(
      ({ action, detail }) =>
        action === 'print-site.saved' && JSON.stringify(detail).includes('New hall'),
    )
    expect(saved).toHaveLength(2)
    expect(saved.at(-1)).toEqual({
      action: 'print-site.saved',
      detail: { providerId: 'north', printLocation: 'New hall', ...terms },
    })
  })
})
