import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import {
  agree,
  dialogOf,
  findChromium,
  signIn,
  startBrowser,
  visit,
} from '../stack/console/browser.ts'
import { startWithoutFactory } from '../stack/start-without-factory.ts'

const chromium = findChromium()
const despatch = chromium ? await shared(startWithoutFactory()) : undefined

test.skipIf(!chromium)(
  'an operator holds the letters of a print run in the console, and they wait for their release',
  async () => {
    const { credentials, runs } = despatch!
    const { batchNumber, keys } = await runs.aReleasedRun(3)
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, credentials.opsUrl)
    const { page, faults } = visitor
    await signIn(page, credentials.operator)

    await page.goto(`/print-runs?run=${batchNumber}`)
    await page.getByRole('button', { name: 'Hold its letters…' }).click()
    await dialogOf(page).getByLabel('Reason').fill('wrong enclosure')
    await agree(page, 'Plan to hold its letters…')
    await page.waitForURL('**/bulk-actions?bulk=*')
    await page.getByRole('button', { name: 'Confirm…' }).click()
    await dialogOf(page).getByLabel('Type 3, the number of letters').fill('3')
    await agree(page, 'Hold 3 letters now')
    await page.getByRole('status').getByText('Ended: 3 of 3 letters done.').waitFor()

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

test.skipIf(!chromium)(
  'a recall in the console requires a choice, and an agreement to the exact count',
  async () => {
    const { credentials, runs } = despatch!
    const { batchNumber, keys } = await runs.aReleasedRun(3)
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, credentials.opsUrl)
    const { page, faults } = visitor
    const refused = (text: string) => dialogOf(page).getByRole('alert').getByText(text).waitFor()
    const statuses = async () => (await runs.statuses(keys)).map(([status]) => status)
    await signIn(page, credentials.operator)
    await page.goto(`/print-runs?run=${batchNumber}`)
    await page.getByRole('button', { name: 'Recall…' }).click()

    await agree(page, 'Count them…')
    await refused('Name the documents, or choose all that are not reconciled.')
    await dialogOf(page).getByLabel('All documents that are not reconciled').check()
    await agree(page, 'Count them…')
    await dialogOf(page).getByText('This cannot be undone.').waitFor()
    await dialogOf(page).getByLabel('Reason').fill('wrong enclosure')
    await dialogOf(page).getByLabel('Type 3, the number of documents').fill('2')
    await agree(page, 'Recall 3 documents')
    await refused('There are 3, not 2. Nothing was done.')
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'PENDING'])
    await dialogOf(page).getByLabel('Type 3, the number of documents').fill('3')
    await agree(page, 'Recall 3 documents')
    await page.getByRole('status').getByText('Recalled: 3 documents.').waitFor()

    expect(await statuses()).toEqual(['REJECTED', 'REJECTED', 'REJECTED'])
    expect(faults).toEqual([])
  },
)
