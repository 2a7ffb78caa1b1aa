import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { agreeToAll, findChromium, signIn, startBrowser, visit } from '../stack/console/browser.ts'
import { startWithoutFactory } from '../stack/start-without-factory.ts'

const chromium = findChromium()
const despatch = chromium ? await shared(startWithoutFactory()) : undefined

test.skipIf(!chromium)(
  'an operator takes the letters of a print run out of it in the console, and they wait to be released',
  async () => {
    const { credentials, runs } = despatch!
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

test.skipIf(!chromium)(
  'a recall in the console requires a choice, and an agreement to the exact count',
  async () => {
    const { credentials, runs } = despatch!
    const { batchNumber, keys } = await runs.aReleasedRun(3)
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, credentials.opsUrl)
    const { page, faults } = visitor
    const told = (text: string) => page.getByRole('status').getByText(text).waitFor()
    const statuses = async () => (await runs.statuses(keys)).map(([status]) => status)
    await signIn(page, credentials.operator)
    await page.goto(`/print-runs?run=${batchNumber}`)
    const recall = page.getByRole('form', { name: 'Recall', exact: true })
    await recall.getByLabel('Reason').fill('wrong enclosure')

    await recall.getByRole('button').click()
    await told('Name the documents, or choose all that are not reconciled.')
    await recall.getByLabel('All documents that are not reconciled').check()
    const declined = page.waitForEvent('dialog')
    await Promise.all([
      recall.getByRole('button').click(),
      declined.then((dialog) => dialog.dismiss()),
    ])
    expect((await declined).message()).toBe(
      `Recall 3 documents of ${batchNumber}? This cannot be undone.`,
    )
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'PENDING'])
    agreeToAll(page)
    await recall.getByRole('button').click()
    await told('Recalled: 3 documents.')

    expect(await statuses()).toEqual(['REJECTED', 'REJECTED', 'REJECTED'])
    expect(faults).toEqual([])
  },
)
