import { eventually } from '@despatch/testing/eventually'
import { expect, test } from 'vitest'
import { aLetter } from '../stack/console/a-letter.ts'
import { findBarriers } from '../stack/console/accessibility.ts'
import {
  agree,
  dialogOf,
  findChromium,
  signIn,
  startBrowser,
  visit,
} from '../stack/console/browser.ts'
import { startConsoleGround } from '../stack/console/console-ground.ts'

const chromium = findChromium()

test.skipIf(!chromium)(
  'an operator corrects the address of a held letter in the console, and it is posted there',
  async () => {
    await using ground = await startConsoleGround()
    await using own = await startBrowser(chromium!)
    await using visitor = await visit(own.browser, ground.credentials.opsUrl)
    const { page, faults } = visitor
    const { userName, password } = ground.credentials.operator
    const id = await ground.consumer.submit(
      aLetter('Ms Ada Example', { sendControl: { hold: true } }),
    )
    const jobOf = async () =>
      (
        await ground.query('select key, status, printable_address from print_job where id = $1', [
          id,
        ])
      )[0] as {
        key: string
        status: string
        printable_address: Record<string, string>
      }
    await eventually(async () => (await jobOf()).status === 'PENDING', {
      deadlineMs: 60_000,
      message: 'the letter is made',
    })

    await signIn(page, { userName, password })
    await page.goto(`/print-job?key=${(await jobOf()).key}`)
    await page.getByRole('button', { name: 'Correct the address…' }).focus()
    await page.keyboard.press('Enter')
    const form = dialogOf(page)
    await form.getByLabel('Name').waitFor()
    const line = (label: string) => form.getByLabel(label)
    expect(await line('Name').inputValue()).toBe('Ms Ada Example')
    expect(await line('Line 1').inputValue()).toBe('1 High Street')
    expect(await line('Line 5').inputValue()).toBe('Anytown')
    expect(await line('Postcode').inputValue()).toBe('AB1 2CD')
    expect(await form.textContent()).not.toMatch(/false|undefined/)
    expect(await findBarriers(page)).toEqual([])

    await line('Line 1').fill('2 Quarry Lane')
    await line('Country').fill('France')
    await line('Reason').fill('asked for by telephone')
    await agree(page, 'Make the letter again')
    await form.getByRole('alert').getByText('has no postcode or BFPO number').waitFor()
    expect(await line('Line 1').inputValue()).toBe('2 Quarry Lane')
    await line('Country').fill('')
    await agree(page, 'Make the letter again')
    await page.getByRole('status').getByText('Done: the letter was made again').waitFor()

    expect((await jobOf()).printable_address).toMatchObject({
      line1: '2 Quarry Lane',
      line5: 'Anytown',
    })
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('Address corrected').waitFor()
    await page.getByRole('definition').getByText('1 High Street').waitFor()

    await page.getByRole('button', { name: 'Release…' }).click()
    await line('Reason').fill('its address is right now')
    await agree(page, 'Release')
    await eventually(async () => (await jobOf()).status === 'DESPATCHED', {
      deadlineMs: 60_000,
      message: 'the letter is despatched',
    })
    expect((await jobOf()).printable_address.line1).toBe('2 Quarry Lane')
    expect(faults).toEqual([])
  },
)
