import { unrestrictedCapabilities } from '@despatch/domain/print-run/capabilities'
import { aDatabase } from '@despatch/testing/a-database'
import { secondsAgo, seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { readUnproducedClasses } from '../src/figures/unproduced-classes.ts'

const { db } = await shared(aDatabase())

test('counts waiting letters by class, of the classes that no enabled site produces', async () => {
  const seed = await seeder(db)
  await db.insertInto('provider').values({ id: 'p', name: 'P' }).execute()
  const site = (printLocation: string, enabled: boolean, despatchMethods: readonly string[]) =>
    db
      .insertInto('print_site')
      .values({
        provider_id: 'p',
        print_location: printLocation,
        enabled,
        share: 1,
        capabilities: JSON.stringify({ ...unrestrictedCapabilities, despatchMethods }),
      })
      .execute()
  await site('A', true, ['SECOND', 'FIRST'])
  await site('B', false, ['INTERNATIONAL_EU', 'INTERNATIONAL_ROW'])
  const waits = {
    status: 'PENDING' as const,
    document_sha256: Buffer.alloc(32),
    updated_at: secondsAgo(200),
  }
  await seed.printJob({ ...waits, produced_as: 'INTERNATIONAL_EU' })
  await seed.printJob({ ...waits, produced_as: 'INTERNATIONAL_EU', updated_at: secondsAgo(400) })
  await seed.printJob({ ...waits, standard_params: '{"despatchMethod":"SPECIAL"}' })
  await seed.printJob({ ...waits, produced_as: 'FIRST' })
  await seed.printJob({ ...waits, standard_params: '{}' })
  await seed.printJob({ ...waits, produced_as: 'INTERNATIONAL_ROW', not_before: secondsAgo(-3600) })

  expect(await readUnproducedClasses(db)).toEqual([
    { despatchMethod: 'INTERNATIONAL_EU', count: 2, oldestSeconds: expect.closeTo(400, -1) },
    { despatchMethod: 'SPECIAL', count: 1, oldestSeconds: expect.closeTo(200, -1) },
  ])
})
