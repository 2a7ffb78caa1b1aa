import { expect, test } from 'vitest'
import { findBarriers, overhang } from '../stack/console/accessibility.ts'
import { agreeToAll, findChromium, signIn, startBrowser, visit } from '../stack/console/browser.ts'
import { startWithoutFactory } from '../stack/start-without-factory.ts'

const chromium = findChromium()

test.skipIf(!chromium)(
  'an operator accounts in the console for the letters of a provider that is gone, and closes their run',
  async () => {
    await using despatch = await startWithoutFactory()
    const { credentials, runs } = despatch
    const { batchNumber, documentIds, keys } = await runs.anAcknowledgedRun(3)
    await runs.pool.query(
      `update print_run set claimed_at = now() - interval '1 day', acknowledged_at = now() - interval '1 day'
       where batch_number = $1`,
      [batchNumber],
    )
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, credentials.opsUrl)
    const { page, faults } = visitor
    const asked = agreeToAll(page)
    const told = (text: string) => page.getByRole('status').getByText(text).waitFor()

    await signIn(page, credentials.operator)
    await page.goto(`/print-runs?run=${batchNumber}`)
    const summary = page.getByText('Record a posting on behalf of the provider…', { exact: true })
    await summary.focus()
    await page.keyboard.press('Enter')
    const form = page.getByRole('form', { name: 'Record a posting on behalf of the provider' })
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await findBarriers(page), await overhang(page)]).toEqual([width, [], 0])
    }
    const fill = async (fields: Record<string, string>) => {
      for (const [label, value] of Object.entries(fields)) {
        // another label contains the word Documents too
        await form.getByLabel(label).first().fill(value)
      }
    }
    const anHourAgo = new Date(Date.now() - 3_600_000)
    const inLondon = anHourAgo.toLocaleString('sv-SE', { timeZone: 'Europe/London' })
    const handover = {
      Carrier: 'Royal Mail',
      'Handed over': inLondon.slice(0, 16).replace(' ', 'T'),
      Evidence: 'docket of the carrier',
    }
    await fill(handover)
    await form.getByRole('button').click()
    await told('Name the documents that have left, or choose all missing documents.')
    await form.getByRole('textbox', { name: 'Documents' }).fill(documentIds[0]!)
    await form.getByRole('button').click()
    await told('Documents recorded as despatched: 1.')

    await summary.click()
    await fill(handover)
    await form.getByLabel('All missing documents have left').check()
    await form.getByRole('button').click()
    await told('Documents recorded as despatched: 2.')
    await page.getByText('None: every document is reconciled.').waitFor()
    const closing = page.getByRole('form', { name: 'Close' })
    await closing.getByLabel('Why the provider does not close it').fill('bankrupt')
    await closing.getByRole('button').click()
    await told('The print run is closed.')
    expect(asked).toEqual(
      [
        `Record 1 document of ${batchNumber} as DESPATCHED?`,
        `Record 2 documents of ${batchNumber} as DESPATCHED?`,
        `Close ${batchNumber} with 3 documents?`,
      ].map((question) => `${question} This cannot be undone.`),
    )

    expect((await runs.statuses(keys)).map(([status]) => status)).toEqual(
      keys.map(() => 'DESPATCHED'),
    )
    const { rows } = await runs.pool.query(
      `select distinct carrier, date_trunc('minute', handover_at) as handover_at from posting`,
    )
    expect(rows).toEqual([
      { carrier: 'Royal Mail', handover_at: new Date(anHourAgo.setUTCSeconds(0, 0)) },
    ])
    expect(faults).toEqual([])
  },
)
