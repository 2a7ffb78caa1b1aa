import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { beforeEach, describe, expect, test } from 'vitest'
import { anAdministration } from './an-administration.ts'

const administration = await shared(anAdministration())
const north = { providerId: 'north', printLocation: 'NORTH' }
const south = { providerId: 'north', printLocation: 'SOUTH' }
const terms = { enabled: true, reprintsFreeMax: 5, reprintsFreePercent: 2.5 }

const change = (sites: unknown) => administration.asAdmin('PUT', '/print-sites/shares', { sites })

beforeEach(async () => {
  await administration.asAdmin('PUT', '/providers/north/sites/NORTH', { ...terms, share: 70 })
  await administration.asAdmin('PUT', '/providers/north/sites/SOUTH', { ...terms, share: 30 })
})

async function shares(): Promise<Record<string, number>> {
  const { body } = await administration.asOperator('GET', '/providers')
  const { sites } = body.providers[0] as { sites: { printLocation: string; share: number }[] }
  return Object.fromEntries(sites.map(({ printLocation, share }) => [printLocation, share]))
}

const saved = async () =>
  (await administration.audited('action=print-site.saved')).map(({ detail }) => detail)

describe('PUT /print-sites/shares', () => {
  test('200: changes only the shares, and a repetition changes nothing', async () => {
    const before = await saved()
    const wanted = [
      { ...south, enabled: true, share: 60 },
      { ...north, enabled: true, share: 40 },
    ]

    const { status, body } = await change(wanted)
    const again = await change(wanted)

    expect(status).toBe(200)
    expect(body.sites).toMatchObject([
      { ...north, ...terms, share: 40 },
      { ...south, ...terms, share: 60 },
    ])
    expect(again).toMatchObject({ status: 200, body })
    expect(await shares()).toEqual({ NORTH: 40, SOUTH: 60 })
    expect((await saved()).slice(0, -before.length || undefined)).toEqual([
      { ...south, ...terms, share: 60 },
      { ...north, ...terms, share: 40 },
    ])
  })

  test('409: a site was disabled meanwhile, and nothing changes', async () => {
    const off = { ...terms, enabled: false, share: 30 }
    await administration.asAdmin('PUT', '/providers/north/sites/SOUTH', off)

    const answer = await change([
      { ...north, enabled: true, share: 40 },
      { ...south, enabled: true, share: 60 },
    ])

    const detail = 'Site SOUTH of print provider north is disabled. Nothing is changed.'
    expect(answer).toMatchObject(aProblem(409, { code: 'PrintSiteSwitched', detail }))
    expect(await shares()).toEqual({ NORTH: 70, SOUTH: 30 })
  })

  test('404: one of the sites is unknown, and nothing changes', async () => {
    const attic = { ...north, printLocation: 'ATTIC' }
    const answer = await change(
      [north, attic].map((site) => ({ ...site, enabled: true, share: 40 })),
    )

    const detail = 'Print provider north has no site ATTIC'
    expect(answer).toMatchObject(aProblem(404, { code: 'PrintSiteNotFound', detail }))
    expect(await shares()).toEqual({ NORTH: 70, SOUTH: 30 })
  })

  test('400: a site is repeated', async () => {
    const site = { ...north, enabled: true, share: 1 }

    const detail = expect.stringMatching(/^sites\[1\]\.printLocation must be unique/)
    expect(await change([site, site])).toMatchObject(aProblem(400, { code: 'Duplicate', detail }))
  })

  test('concurrent changes of the same sites in another order do not block each other', async () => {
    const forth = [north, south].map((site) => ({ ...site, enabled: true, share: 10 }))
    const back = forth.toReversed().map((site) => ({ ...site, share: 20 }))

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => change(at % 2 ? back : forth)),
    )

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(Object.values(await shares())).size).toBe(1)
  })
})
