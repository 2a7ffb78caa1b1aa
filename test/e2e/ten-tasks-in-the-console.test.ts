import { eventually } from '@despatch/testing/eventually'
import type { Locator } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { aLetter } from '../stack/console/a-letter.ts'
import { findBarriers } from '../stack/console/accessibility.ts'
import { findChromium, signIn } from '../stack/console/browser.ts'
import { aParkedLetter, aWaitingReprint } from '../stack/console/states.ts'
import { type UsedConsole, useConsole } from '../stack/console/use-console.ts'

const chromium = findChromium()
/** From the page after sign-in. What is typed is not counted. */
const clicksMax = 3
const held = { sendControl: { hold: true } }

describe.skipIf(!chromium)('the ten commonest tasks take at most three clicks', () => {
  let { ground, page } = {} as UsedConsole
  let clicks = 0
  const { button, place, table, told, dialog, seen } = useConsole((used) => {
    ;({ ground, page } = used)
    clicks = 0
  })
  afterEach(() => {
    expect(clicks).toBeGreaterThan(0)
    expect(clicks).toBeLessThanOrEqual(clicksMax)
  })

  const enter = () => signIn(page, ground.credentials.operator)
  const click = async (what: Locator) => {
    clicks += 1
    await what.click()
  }
  const answer = (name: string) => click(dialog().getByRole('button', { name, exact: true }))

  /** Opens what the search field of every page finds for a term. */
  async function find(term: string, result = term): Promise<void> {
    await seen(page.getByRole('combobox'))
    await page.keyboard.press('/')
    await page.keyboard.type(term)
    await click(page.getByRole('option', { name: result }))
  }

  async function aHeldLetter(recipientName?: string): Promise<string> {
    const id = await ground.consumer.submit(aLetter(recipientName, held))
    await ground.consumer.reached(id, 'PENDING')
    return id
  }

  async function jobOf(id: string) {
    const columns = 'held_at, deleted_at, printable_address'
    const [row] = await ground.query(`select ${columns} from print_job where id = $1`, [id])
    return row as {
      held_at: Date | null
      deleted_at: Date | null
      printable_address: Record<string, string>
    }
  }

  test('find a letter by its recipient', async () => {
    const id = await aHeldLetter('Mrs Winifred Larkspur')
    await enter()

    await find('larkspur', id)

    await seen(page.getByRole('heading', { level: 1, name: 'Mrs Winifred Larkspur' }))
    expect(page.url()).not.toMatch(/larkspur/i)
  })

  test('find out why a letter is late', async () => {
    const id = await aParkedLetter(ground)
    await ground.query(
      "update print_job set created_at = created_at - interval '20 days' where id = $1",
      [id],
    )
    await enter()

    await click(page.getByRole('link', { name: /^Review 1: 1 letter is overdue/ }))
    await click(page.getByRole('link', { name: id }))

    await seen(page.getByText('Why it is late'))
    await seen(page.getByText(/^It is set aside, and joins no print run/).first())
    await ground.query('update print_job set created_at = now() where id = $1', [id])
  })

  test('look at the pages of a letter', async () => {
    const id = await aHeldLetter()
    await enter()

    await find(id)
    await click(page.getByRole('button', { name: /^Page 1 of 1 of the letter/ }))

    await seen(dialog().getByRole('img', { name: 'Page 1 of 1 of the letter' }))
  })

  test('send a dead callback again', async () => {
    await ground.receiver.shut()
    const target = `${ground.receiver.origin}/callbacks`
    const id = await ground.consumer.submit(aLetter('UAT DESPATCH', { callbackParams: { target } }))
    await enter()
    await seen(table('Latest dead callbacks').getByRole('link', { name: id, exact: true }))
    await ground.receiver.open()

    const row = table('Latest dead callbacks').getByRole('row').filter({ hasText: id })
    await click(row.getByRole('link').first())
    await click(button('Send this callback again…'))
    await answer('Send 1 callback again')

    await eventually(() => ground.receiver.calls.length === 1, {
      message: 'the callback arrives',
    })
  })

  test('decide a reprint', async () => {
    const id = await ground.consumer.submit(aLetter('UAT SPOIL'))
    const documentId = await aWaitingReprint(ground)
    await enter()

    await click(place('Runs'))
    const waiting = table('Reprints waiting for a decision').getByText(documentId)
    await seen(waiting)
    await click(button(`Authorise the reprint of ${documentId}…`))
    await answer('Authorise 1 reprint')

    await seen(told(`The reprint of ${documentId} is authorised.`))
    await waiting.waitFor({ state: 'hidden' })
    await ground.consumer.reached(id, 'DESPATCHED')
  })

  test('hold a letter', async () => {
    const id = await aParkedLetter(ground)
    await enter()

    await find(id)
    await click(button('Hold…'))
    await dialog().getByLabel('Reason').fill('wrong enclosure')
    await answer('Hold')

    await seen(told('Done: hold.'))
    expect((await jobOf(id)).held_at).not.toBeNull()
  })

  test('cancel a letter', async () => {
    const id = await aHeldLetter()
    await enter()

    await find(id)
    await click(button('Cancel…'))
    await seen(dialog().getByRole('heading', { name: 'Cancel 1 letter to Ms Ada Example?' }))
    await dialog().getByLabel('Reason').fill('its consumer asked for it')
    await answer('Cancel 1 letter')

    await seen(page.getByText('Cancelled before it was printed.'))
    expect((await jobOf(id)).deleted_at).not.toBeNull()
  })

  test('correct an address', async () => {
    const id = await aHeldLetter()
    const line = (label: string) => dialog().getByLabel(label)
    await enter()

    await find(id)
    await click(button('Correct the address…'))
    const [name, first, last] = [line('Name'), line('Line 1'), line('Line 5')]
    await seen(name)
    const filled = await Promise.all(
      [name, first, last, line('Postcode')].map((at) => at.inputValue()),
    )
    expect(filled).toEqual(['Ms Ada Example', '1 High Street', 'Anytown', 'AB1 2CD'])
    expect(await dialog().textContent()).not.toMatch(/false|undefined/)
    expect(await findBarriers(page)).toEqual([])
    await first.fill('2 Quarry Lane')
    await line('Reason').fill('asked for by telephone')
    await answer('Make the letter again')

    await seen(told('Done: the letter was made again'))
    const { printable_address: printed } = await jobOf(id)
    expect(printed).toMatchObject({ line1: '2 Quarry Lane', line5: 'Anytown' })
    await seen(page.getByRole('list', { name: 'Timeline' }).getByText('Address corrected'))
    await seen(page.getByRole('definition').getByText('1 High Street'))
  })

  test('see the use of a plan', async () => {
    await enter()

    await click(place('Consumers'))
    const row = table('Consumers').getByRole('row', { name: /demo-consumer/ })
    await click(row.getByRole('link'))

    await seen(table('Use against plan').getByRole('row', { name: /^print-request / }))
  })

  test('pause a queue', async () => {
    await enter()

    await click(place('Queues'))
    await click(button('Pause letters…'))
    await dialog().getByLabel('Why it is paused').fill('the printer is repaired')
    await answer('Pause letters')

    await seen(told(/^Queue letters: paused; /))
  })
})
