import { expect, test } from 'vitest'
import { findChromium, signIn, startBrowser, visit } from '../stack/console/browser.ts'
import { startWithoutFactory } from '../stack/start-without-factory.ts'

const chromium = findChromium()

test.skipIf(!chromium)(
  'an operator takes the letters of a print run out of it in the console, and they wait to be released',
  async () => {
    await using despatch = await startWithoutFactory()
    const { credentials, runs } = despatch
    const { batchNumber, keys } = await runs.aReleasedRun(3)
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, credentials.opsUrl)
    const { page, faults } = visitor
    await signIn(page, credentials.operator)

    await page.goto(`/print-runs?run=${batchNumber}`)
    const plan = page.getByRole('form', { name: 'Hold its letters' })
    await plan.getByLabel('Reason').fill('wrong enclosure')
    await plan.getByRole('button').click()
    await page.waitForURL('**/bulk-actions?bulk=*')
    const confirmation = page.getByRole('form', { name: 'Confirm' })
    await confirmation.getByLabel('How many print jobs?').fill('3')
    await confirmation.getByRole('button').click()
    await page.getByRole('status').getByText('Ended: 3 of 3 print jobs done.').waitFor()

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
