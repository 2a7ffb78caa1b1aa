import { insertProvider } from '@despatch/store/access/consumers'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { expect, inject, test } from 'vitest'
import { findChromium, signIn, startBrowser, visit } from '../stack/console/browser.ts'
import { makeDirectory, startDespatch } from '../stack/start-despatch.ts'

const chromium = findChromium()

test.skipIf(!chromium)(
  'an operator takes the letters of a print run out of it in the console, and they wait to be released',
  async () => {
    await using parts = new AsyncDisposableStack()
    const database = await cloneDatabase()
    parts.defer(() => database.drop())
    const { credentials } = parts.use(await aDespatch(parts, database.url))
    const runs = await somePrintRuns(database.url)
    parts.defer(() => runs.close())
    await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
    await runs.pool.query(`update print_site set share = 0 where provider_id <> 'north'`)
    const { batchNumber, keys } = await runs.aReleasedRun(3)
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, credentials.opsUrl)
    const { page, faults } = visitor
    await signIn(page, credentials.operator)

    await page.goto(`/print-runs?run=${batchNumber}`)
    const plan = page.getByRole('form', { name: 'Hold its letters' })
    await plan.getByLabel('Why').fill('wrong enclosure')
    await plan.getByRole('button').click()
    await page.waitForURL('**/bulk-actions?bulk=*')
    const confirmation = page.getByRole('form', { name: 'Confirm' })
    await confirmation.getByLabel('How many print jobs?').fill('3')
    await confirmation.getByRole('button').click()
    await page.getByRole('status').getByText('Ended: done 3 of 3 print jobs.').waitFor()

    const { rows } = await runs.pool.query(
      `select key, status, batch_number, held_at is not null as is_held, hold_reason from print_job
       where key = any ($1::uuid[]) order by key`,
      [keys],
    )
    expect(rows).toEqual(
      keys.toSorted().map((key) => ({
        key,
        status: 'PENDING',
        batch_number: null,
        is_held: true,
        hold_reason: expect.stringContaining('wrong enclosure'),
      })),
    )
    expect(faults).toEqual([])
  },
)

/** Without a factory. */
async function aDespatch(parts: AsyncDisposableStack, databaseUrl: string) {
  const { objectStore } = inject('infra')
  const directory = parts.use(await makeDirectory())
  return startDespatch(directory.path, {
    DATABASE_URL: databaseUrl,
    S3_ENDPOINT: objectStore.endpoint,
    S3_REGION: objectStore.region,
    S3_BUCKET: objectStore.bucket,
    S3_ACCESS_KEY_ID: objectStore.accessKeyId,
    S3_SECRET_ACCESS_KEY: objectStore.secretAccessKey,
    DESPATCH_SIMULATOR: 'off',
  })
}
