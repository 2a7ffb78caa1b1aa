import { randomUUID } from 'node:crypto'
import {
  type ProductionCalendar,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { byEffort } from '@despatch/testing/effort'
import { aKeyAt, someStandardParams } from '@despatch/testing/print-job-builders'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { countSearched } from '../src/operations/count-print-jobs.ts'
import { addDue } from '../src/print-job/due.ts'
import { type PrintJobSearch, searchPrintJobs } from '../src/print-job/search-print-jobs.ts'

const calendar: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [
    { despatchMethod: 'FIRST', cutOff: '12:00', productionDays: 0 },
    { despatchMethod: 'ECONOMY', weekdays: [3], productionDays: 2 },
  ],
}
const { db } = await shared(aDatabase())
const seed = await seeder(db)

// one of the sites prints every letter, and the other, which is slower, prints some
for (const [id, capabilities] of [
  ['north', { calendar }],
  [
    'south',
    {
      calendar: { ...calendar, productionDays: 2, classes: [] },
      maintenance: [{ from: '2026-12-10T00:00Z', until: '2026-12-20T00:00Z' }],
      sheetsMax: 3,
      plexes: ['duplex'],
    },
  ],
] as const) {
  await insertProvider(db, { id, name: id, printLocations: [id.toUpperCase()] })
  await db
    .updateTable('print_site')
    .set({ capabilities: JSON.stringify({ ...unrestrictedCapabilities, ...capabilities }) })
    .where('provider_id', '=', id)
    .execute()
}
const { contractId } = seed
await db.updateTable('contract').set({ plex: 'duplex' }).where('id', '=', contractId).execute()

const minute = 60_000
const day = 24 * 60 * minute
const pending = { status: 'PENDING', document_sha256: Buffer.alloc(32) } as const

/** Inserts letters of each kind that were accepted in the days before an instant. */
async function someLetters(at: Date): Promise<void> {
  const letter = async (acceptedAt: number, given: Parameters<typeof seed.printJob>[0] = {}) => {
    const created_at = new Date(acceptedAt)
    await seed.printJob({ key: aKeyAt(created_at), id: randomUUID(), created_at, ...given })
  }
  const by = (despatchMethod: string) => ({
    standard_params: JSON.stringify({ ...someStandardParams, despatchMethod }),
  })
  for (let ago = 0; ago < 8; ago += 1) {
    for (const [index, before] of [0, 3 * 60 * minute, 9 * 60 * minute].entries()) {
      const acceptedAt = +at - ago * day - before
      await letter(acceptedAt)
      await letter(acceptedAt, by('FIRST'))
      await letter(acceptedAt, { ...by('ECONOMY'), parked_at: index === 0 ? at : null })
      await letter(acceptedAt, { ...pending, document_sheets: 4, updated_at: at })
    }
    await letter(+at - 8 * day, { not_before: new Date(+at - ago * day + 3 * day) })
    await letter(+at - 8 * day, { hold_ended_at: new Date(+at - ago * day - 5 * minute) })
    await letter(+at - ago * day, { parked_at: at, status: 'VALIDATING' })
    await letter(+at - ago * day, { held_at: at, held_by: 'contract' })
  }
}

const instants: readonly (readonly [what: string, instant: string])[] = [
  ['on the day on which summer time begins', '2026-03-29T00:30:00Z'],
  ['before Christmas, after maintenance', '2026-12-24T17:41:00Z'],
  ['on a Friday at the cut-off', '2026-03-06T17:30:00Z'],
  ['on a Saturday', '2026-03-07T12:00:00Z'],
  ['in the night', '2026-03-10T00:00:00Z'],
  ['ten minutes after the first cut-off of summer time', '2026-03-30T16:40:00Z'],
  ['at Easter', '2026-04-06T12:00:00Z'],
  ['on the day on which summer time ends', '2026-10-25T23:30:00Z'],
]

test.each(instants.slice(0, byEffort({ landing: 2, full: instants.length })))(
  'filters by lateness and due date agree with each letter %s',
  async (_what, instant) => {
    const at = new Date(instant)
    await someLetters(at)
    const accepted = { createdFrom: new Date(+at - 9 * day), createdTo: new Date(+at + 1) }
    const found = async (search: Omit<PrintJobSearch, 'jobsMax'>) => {
      const limited = { ...accepted, ...search }
      const { printJobs } = await searchPrintJobs(db, { ...limited, jobsMax: 1_000 }, { at })
      expect((await countSearched(db, limited, { at })).count).toBe(printJobs.length)
      return printJobs.map(({ id }) => id).toSorted()
    }
    const { printJobs } = await searchPrintJobs(db, { ...accepted, jobsMax: 1_000 }, { at })
    const letters = await addDue(db, printJobs, at)
    const those = (is: (letter: (typeof letters)[number]) => boolean) =>
      letters
        .filter(is)
        .map(({ id }) => id)
        .toSorted()
    expect(new Set(letters.map(({ lateness }) => lateness))).toEqual(
      new Set([null, 'before-production', 'at-risk', 'overdue']),
    )

    for (const only of ['at-risk', 'overdue'] as const) {
      expect(await found({ only })).toEqual(those(({ lateness }) => lateness === only))
    }
    const dates = [...new Set(letters.flatMap(({ dueDate }) => dueDate ?? []))].toSorted()
    for (const date of dates) {
      expect(await found({ dueFrom: date, dueTo: date })).toEqual(
        those(({ dueDate }) => dueDate === date),
      )
    }
    const middle = dates[Math.floor(dates.length / 2)]!
    expect(await found({ dueTo: middle })).toEqual(
      those(({ dueDate }) => dueDate! <= middle && dueDate !== null),
    )
    expect(await found({ dueFrom: middle })).toEqual(
      those(({ dueDate }) => dueDate !== null && dueDate >= middle),
    )
  },
)
