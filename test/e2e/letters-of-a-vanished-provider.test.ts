import { expect, test } from 'vitest'
import { findBarriers, overhang } from '../stack/console/accessibility.ts'
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

test.skipIf(!chromium)(
  'an operator accounts in the console for the letters of an absent provider, and closes their run',
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
    const told = (text: string) => page.getByRole('status').getByText(text).waitFor()

    await signIn(page, credentials.operator)
    await page.goto(`/print-runs?run=${batchNumber}`)
    const form = dialogOf(page)
    const open = async () => {
      await page.getByRole('button', { name: 'Record a posting…' }).focus()
      await page.keyboard.press('Enter')
      await form.getByLabel('Carrier').waitFor()
    }
    await open()
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      expect([width, await findBarriers(page), await overhang(page)]).toEqual([width, [], 0])
    }
    const anHourAgo = new Date(Date.now() - 3_600_000)
    const inLondon = anHourAgo.toLocaleString('sv-SE', { timeZone: 'Europe/London' })
    const fill = async () => {
      await form.getByLabel('Carrier').fill('Royal Mail')
      await form.getByLabel('Handed over').fill(inLondon.slice(0, 16).replace(' ', 'T'))
      await form.getByLabel('Evidence').fill('docket of the carrier')
    }
    await fill()
    await agree(page, 'Count them…')
    const refusal = 'Name the documents that have left, or choose all missing documents.'
    await form.getByRole('alert').getByText(refusal).waitFor()
    await form.getByRole('textbox', { name: 'Documents' }).fill(documentIds[0]!)
    await agree(page, 'Count them…')
    await form.getByText(`Record 1 document of ${batchNumber} as DESPATCHED?`).waitFor()
    await form.getByText('This cannot be undone.').waitFor()
    await agree(page, 'Record 1 document')
    await told('Documents recorded as despatched: 1.')

    await open()
    await fill()
    await form.getByLabel('All missing documents have left').check()
    await agree(page, 'Count them…')
    await form.getByLabel('Type 2, the number of documents').fill('2')
    await agree(page, 'Record 2 documents')
    await told('Documents recorded as despatched: 2.')
    await page.getByText('None: every document is reconciled.').waitFor()
    await page.getByRole('button', { name: 'Close…' }).click()
    await form.getByText(`Close run ${batchNumber} with 3 documents?`).waitFor()
    await form.getByLabel('Why the provider does not close it').fill('bankrupt')
    await agree(page, 'Close with 3 documents')
    await told('The print run is closed.')

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
