import { londonDateOf } from '@despatch/domain/calendar/london'
import { eventually } from '@despatch/testing/eventually'
import type { Locator } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { authenticate } from '../stack/a-caller.ts'
import { aConsumer } from '../stack/a-consumer.ts'
import { aLetter } from '../stack/console/a-letter.ts'
import { findBarriers, overhang } from '../stack/console/accessibility.ts'
import { readAlert } from '../stack/console/alert.ts'
import { agree, findChromium, signIn, visit } from '../stack/console/browser.ts'
import { pagesOf } from '../stack/console/console-pages.ts'
import { tabTo } from '../stack/console/keyboard.ts'
import { aParkedLetter, aWaitingReprint } from '../stack/console/states.ts'
import { type UsedConsole, useConsole } from '../stack/console/use-console.ts'

const chromium = findChromium()
if (!chromium) {
  console.warn(
    'The console in a browser is skipped: there is no chromium on the PATH (apt-get install chromium)',
  )
}

/** Where to save pictures of all pages. Absent: no pictures. */
const pictures = process.env.CONSOLE_PICTURES_DIR
const listedPages = [
  'Letters',
  'Runs',
  'Callbacks',
  'Templates',
  'Consumers',
  'Queues',
  'Health',
  'Metrics',
  'Audit',
  'Now',
]
const whyPaused = 'the printer is repaired'

describe.skipIf(!chromium)('the console, as an operator sees it in a browser', () => {
  let { ground, own, page } = {} as UsedConsole
  const { button, link, place, heading, told, table, dialog, seen } = useConsole((used) => {
    ;({ ground, own, page } = used)
  })
  const timeline = () => page.getByRole('list', { name: 'Timeline', exact: true })

  test('an operator signs in, stays signed in and signs out', async () => {
    const { userName, password } = ground.credentials.operator
    await page.goto('/callbacks')
    await seen(heading('Sign in to Despatch'))

    await page.getByLabel('User name').fill(userName)
    await page.getByLabel('Password').fill('not the password aA1')
    await button('Sign in to UAT').click()
    await seen(told(/./))
    const refusal = await page.getByRole('status').textContent()
    expect(refusal).not.toContain(userName)
    expect(await page.getByLabel('Password').inputValue()).toBe('')

    await page.getByLabel('Password').fill(password)
    await button('Sign in to UAT').click()
    await seen(heading('Callbacks'))
    await page.reload()
    await seen(page.getByText(userName))

    const sessions = '**/sessions'
    await page.route(sessions, (route) => route.fulfill({ status: 503, json: {} }))
    await button('Sign out').click()
    await seen(page.getByText('You are still signed in.'))
    await page.unroute(sessions)

    await button('Sign out').click()
    await seen(heading('Sign in to Despatch'))
    await page.goto('/print-runs')
    await seen(heading('Sign in to Despatch'))
  })

  test('a person signs in with the OpenID provider, and signs out of both', async () => {
    ground.people.ada = { name: 'Ada', email: 'ada@example.com', groups: ['ops'] }
    ground.people.bob = { name: 'Bob', groups: ['staff'] }
    await using visitor = await visit(own.browser, ground.credentials.opsUrl)
    const { page, faults } = visitor
    const at = (role: 'button' | 'heading', name: string) =>
      page.getByRole(role, { name, exact: true })
    const signInAs = async (name: string) => {
      await at('button', 'Sign in with Example ID').click()
      await page.getByLabel('Name', { exact: true }).fill(name)
      await at('button', 'Sign in').click()
    }

    await page.goto('/print-runs?state=CLOSED#main')
    await signInAs('bob')
    await seen(page.getByText('Example ID gives your account no role in Despatch.'))
    expect(new URL(page.url()).searchParams.has('code')).toBe(false)
    await page.context().clearCookies()

    await signInAs('ada')
    await page.waitForURL('/print-runs?state=CLOSED#main')
    await seen(page.getByText(/^ada@example\.com#/))
    await page.goBack()
    expect(page.url()).not.toContain('code=')
    await page.goto('/consumers')
    const account = page.getByRole('row').filter({ hasText: 'ada@example.com#' })
    await seen(account.getByText('none', { exact: true }).nth(1))

    // a read that is refused once the session has ended does not lead elsewhere
    const ended = Promise.withResolvers<void>()
    const read = Promise.withResolvers<void>()
    await page.route('**/administration/v1/callbacks?*', async (route) => {
      await ended.promise
      await route.fulfill({ status: 401, json: { errors: [] } })
      read.resolve()
    })
    await page.route('**/administration/v1/sessions', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue()
      const response = await route.fetch()
      ended.resolve()
      await read.promise
      await route.fulfill({ response })
    })
    await page.goto('/callbacks')
    await at('button', 'Sign out').click()
    await page.waitForURL(/^http:\/\/localhost:/)
    await page.unrouteAll()
    await at('button', 'Sign out').click()
    await seen(at('heading', 'Sign in to Despatch'))
    await page.goto('/callbacks')
    await at('button', 'Sign in with Example ID').click()
    await seen(page.getByLabel('Name', { exact: true }))

    await page.goto('/sign-in?state=forged&code=forged')
    await seen(page.getByText('it began in another browser or tab'))
    expect(page.url()).not.toContain('forged')
    // the pages of the provider are another site, to which the console leads
    expect(faults.filter((fault) => !fault.startsWith('outside: http://localhost:'))).toEqual([])
  })

  test('a person of the OpenID provider signs in again to replace a credential', async () => {
    ground.people.eve = { name: 'Eve', groups: ['ops-admins'] }
    await using visitor = await visit(own.browser, ground.credentials.opsUrl)
    const { page } = visitor
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const signInAtProvider = async () => {
      await page.getByLabel('Name', { exact: true }).fill('eve')
      await press('Sign in')
    }
    await page.goto('/consumers')
    await press('Sign in with Example ID')
    await signInAtProvider()
    const { userName } = ground.credentials.consumer
    await page.getByRole('row').filter({ hasText: userName }).getByRole('link').first().click()
    await page.waitForURL('**/consumers?consumer=*')
    const address = page.url()

    await press('Replace API key…')
    await agree(page, 'Sign in again')
    await signInAtProvider()
    await page.waitForURL(address)
    await press('Replace API key…')
    const dialog = page.getByRole('dialog')
    await seen(dialog.getByRole('button', { name: 'Replace 1 API key', exact: true }))
    expect(await dialog.getByLabel('Your own password').count()).toBe(0)
  })

  test.each([
    ['/print-runs?state=CLOSED#main', '/print-runs?state=CLOSED#main'],
    ['/sign-in?next=%2F%2Fevil.example%2F', '/'],
    ['/sign-in?next=https%3A%2F%2Fevil.example%2F', '/'],
    ['/sign-in?next=javascript%3Aalert(1)', '/'],
    ['/sign-in?next=%2F%5Cevil.example', '/'],
  ])('signing in at %s leads to %s', async (address, next) => {
    const { userName, password } = ground.credentials.operator
    await page.goto(address)
    await page.getByLabel('User name').fill(userName)
    await page.getByLabel('Password').fill(password)
    await button('Sign in to UAT').click()

    await page.waitForURL(new URL(next, ground.credentials.opsUrl).href)
  })

  test.each(['light', 'dark'] as const)(
    'the API reference in %s has examples, is accessible, and uses no other server',
    async (colorScheme) => {
      const { baseUrl } = ground.credentials
      await using consumer = await visit(own.browser, baseUrl, { colorScheme })
      const { page } = consumer
      await page.goto('/')
      await seen(page.getByText('demo-consumer', { exact: true }))
      const first = await findBarriers(page, { only: 'wcag' })

      await page.getByRole('link', { name: 'Print jobs', exact: true }).click()
      await page.getByRole('button', { name: 'Open Group - print jobs' }).click()
      await page.getByRole('link', { name: /^Submit a print job/ }).click()

      await seen(page.getByText('"Ms Ada Example"').first())
      await seen(page.getByRole('button', { name: /^Test Request/ }).first())
      // The library does not say whether the suggestions of its fields for credentials are shown.
      const known = 'aria-required-attr: .code-input-lite__editor'
      const barriers = [...first, ...(await findBarriers(page, { only: 'wcag' }))]
      expect(barriers.filter((each) => !each.startsWith(known))).toEqual([])
      expect(consumer.faults).toEqual([])
    },
  )

  test('the API reference submits a print job with the credentials that the reader enters', async () => {
    const { baseUrl, consumer } = ground.credentials
    await using reader = await visit(own.browser, baseUrl)
    const { page } = reader
    await page.goto('/docs?api=print-request')
    await page.getByRole('button', { name: 'Open Group - print jobs' }).click()
    await page.getByRole('link', { name: /^Submit a print job/ }).click()
    await page.getByRole('button', { name: /^Test Request.*post.*\/print\/jobs\)?$/ }).click()

    const client = page.getByRole('dialog', { name: 'API Client' })
    const token = await authenticate(baseUrl, consumer)
    await client.getByRole('textbox', { name: 'Bearer Token' }).fill(token)
    await client.getByRole('textbox', { name: 'Value' }).first().fill(consumer.apiKey)
    await client.getByRole('button', { name: /^Send post request/ }).click()

    await seen(page.getByText('202 Accepted'))
    expect(reader.faults).toEqual([])
  })

  test('the API reference at the operations address sends no requests', async () => {
    await page.goto('/docs')
    await seen(page.getByRole('heading', { name: 'Despatch administration' }))

    await page.getByRole('button', { name: 'Open Group - consumers' }).click()
    await page.getByRole('link', { name: /^Create a consumer/ }).click()

    await seen(page.getByRole('heading', { name: 'Create a consumer' }))
    expect(await page.getByRole('button', { name: /^Test Request/ }).count()).toBe(0)
  })

  test('with only an alert and its runbook, an operator redrives a parked letter with four clicks', async () => {
    const id = await aParkedLetter(ground)
    const { expression, consolePath, runbook } = await readAlert('PrintJobsParked')
    expect(expression).toBe('max(print_jobs_parked) > 0')
    await eventually(() => metric('print_jobs_parked', 1), {
      message: 'the alert fires',
    })
    expect(runbook).toContain(`\`${consolePath}\``)
    const [begin, why, again] = [...runbook.matchAll(/_([A-Z][^_]+)_/g)].map(([, name]) => name!)
    const { userName, password } = ground.credentials.operator
    let clicks = 0
    const click = async (what: Locator) => {
      clicks += 1
      await what.click()
    }

    await page.goto(consolePath)
    await page.getByLabel('User name').fill(userName)
    await page.getByLabel('Password').fill(password)
    await click(button('Sign in to UAT'))
    await click(table('Letters, newest first').getByRole('link', { name: id }))
    const fault = page.getByRole('definition').filter({ hasText: 'StoredFileGone' })
    await seen(fault)
    expect(runbook).toContain('`StoredFileGone`')
    await click(button(begin!))
    await dialog().getByLabel(why!).fill('object store is back')
    await click(dialog().getByRole('button', { name: again!, exact: true }))
    await seen(told('Done: retry.'))
    await told(/is (PENDING|PRODUCTION|DESPATCHED)\.$/).waitFor()

    await seen(timeline().getByText('object store is back'))
    await eventually(() => metric('print_jobs_parked', 0), {
      message: 'the alert is over',
    })
    // to sign in, to open the letter, to begin and to confirm
    expect(clicks).toBe(4)
  })

  test('dead callbacks are counted, replayed and delivered', async () => {
    await ground.receiver.shut()
    const target = `${ground.receiver.origin}/callbacks`
    const id = await ground.consumer.submit(aLetter('UAT DESPATCH', { callbackParams: { target } }))
    await signIn(page, ground.credentials.operator)
    const given = table('Latest dead callbacks')
    await seen(given.getByRole('link', { name: id, exact: true }))
    await ground.receiver.open()

    await place('Callbacks').click()
    await seen(table('Callbacks that are DEAD').getByRole('cell', { name: id, exact: true }))
    const performance = table('Success and time to answer').getByRole('row', {
      name: ground.receiver.origin,
    })
    await seen(performance.getByText('0.0%'))
    await seen(performance.getByRole('img', { name: /: lowest 0\.0% at .*, last 0\.0% at / }))
    await performance.getByRole('link', { name: /^1 dead, / }).click()
    await page.waitForURL(/origin=.*&consumerId=.*&status=DEAD$/)
    await seen(table('Callbacks that are DEAD').getByRole('cell', { name: id, exact: true }))
    await page.getByLabel('Created from', { exact: true }).fill('2020-01-01')
    await page.getByLabel('to', { exact: true }).fill('2020-01-31')
    await button('Show').click()
    await seen(page.getByText('No callback matches.'))
    await page.getByLabel('to', { exact: true }).fill(londonDateOf(new Date()))
    await button('Show').click()
    await button('Send 1 again…').click()
    await seen(dialog().getByRole('heading', { name: 'Send 1 callback again?' }))
    await seen(
      dialog().getByText(
        /^Only these: Dead, of Demonstration consumer, to http:.*, created from .*, created until /,
      ),
    )
    expect(ground.receiver.calls).toEqual([])
    await agree(page, 'Send 1 again')
    await seen(told('1 callback will be sent again.'))

    await eventually(() => ground.receiver.calls.length === 1, {
      message: 'the callback arrives',
    })
    await page.getByLabel('Status', { exact: true }).selectOption('DELIVERED')
    await eventually(
      async () => {
        await button('Show').click()
        await table('Callbacks that are DELIVERED')
          .getByRole('cell', { name: id, exact: true })
          .waitFor({ timeout: 1_000 })
        return true
      },
      { message: 'the callback is shown as delivered' },
    )
    await seen(page.getByRole('img', { name: /half of the attempts were answered within \d/ }))
  })

  test('a consumer gets a test message, and a contract changes after its difference is shown', async () => {
    const target = `${ground.receiver.origin}/callbacks`
    const id = await ground.consumer.submit(aLetter(undefined, { callbackParams: { target } }))
    await ground.consumer.reached(id, 'DESPATCHED')
    await signIn(page, ground.credentials.operator)
    await place('Consumers').click()
    await table('Consumers').getByText('demo-consumer', { exact: true }).waitFor()
    await table('Consumers')
      .getByRole('row', { name: /demo-consumer/ })
      .getByRole('link')
      .click()
    await seen(table('Keys').getByRole('row', { name: /^API key/ }))
    await eventually(
      async () => {
        await page.reload()
        const row = table('Use against plan').getByRole('row', { name: /^print-request [1-9]/ })
        await row.waitFor({ timeout: 1_000 })
        return true
      },
      { deadlineMs: 60_000, message: 'the requests of the day are shown' },
    )
    await button('Send a test message').click()
    await seen(told(/^Test message: answered 2\d\d in /))

    const edit = page.getByRole('button', { name: /^Edit… / }).first()
    await edit.click()
    const pages = dialog().getByLabel('Pages at most')
    const before = Number(await pages.inputValue())
    await agree(page, 'Preview…')
    await seen(dialog().getByText('No term is different.'))
    await pages.fill(String(before - 1))
    await agree(page, 'Preview…')
    await seen(dialog().getByText(`− pagesMax ${before}`))
    await agree(page, 'Change 1 term')
    const newest = table('Changes of contracts').getByRole('row').nth(1)
    await seen(newest.getByText(`+ pagesMax ${before - 1}`))
    await seen(newest.getByText(ground.credentials.operator.userName))
    await edit.click()
    expect(await pages.inputValue()).toBe(String(before - 1))
  })

  test('an admin changes the plan and the credentials of a consumer, and each credential is shown once', async () => {
    await signIn(page, ground.credentials.operator)
    const limit = {
      service: 'print-request',
      requestsPerSecond: 70,
      burst: 30,
      requestsPerDay: 900,
    }
    await post('/usage-plans/narrow', { limits: [limit] }, 'PUT')
    const given = { userName: 'acme-post', name: 'Acme Post' }
    const { consumerId, ...old } = await post('/consumers', given)
    await page.goto(`/consumers?consumer=${consumerId}`)

    await button('Change plan…').click()
    await agree(page, 'Preview…')
    await seen(dialog().getByText('Acme Post has the plan standard.'))
    await dialog().getByLabel('Usage plan', { exact: true }).selectOption('narrow')
    await agree(page, 'Preview…')
    await seen(dialog().getByText('70 a second, 30 more a minute, 900 a day'))
    await agree(page, 'Change 1 plan')
    await seen(told('Done: Acme Post has the plan narrow.'))
    await seen(table('Use against plan').getByRole('row', { name: /^print-request 0 900 / }))

    const key = table('Keys').getByRole('row', { name: /^API key/ })
    await seen(key.getByText(`${old.apiKeyPrefix}…`))
    const apiKey = await replaced('API key')
    await seen(key.getByText(`${apiKey.slice(0, old.apiKeyPrefix.length)}…`))
    const password = await replaced('password')
    const { baseUrl } = ground.credentials
    const acme = { userName: given.userName, password, apiKey }
    expect((await (await aConsumer(baseUrl, acme)).call('GET', 'jobs/unknown')).status).toBe(404)
    const withOldKey = await aConsumer(baseUrl, { ...acme, apiKey: old.apiKey })
    expect((await withOldKey.call('GET', 'jobs/unknown')).status).toBe(401)
    await expect(aConsumer(baseUrl, { ...acme, password: old.password })).rejects.toThrow()

    const signedIn = await aConsumer(baseUrl, acme)
    await button('End all tokens…').click()
    await agree(page, 'End all tokens')
    await seen(told('Done: the tokens of Acme Post are ended.'))
    await expect.poll(async () => (await signedIn.call('GET', 'jobs/unknown')).status).toBe(401)
    expect((await (await aConsumer(baseUrl, acme)).call('GET', 'jobs/unknown')).status).toBe(404)

    // The session of an operator's own account would end before the new credential is shown.
    await page.goto('/consumers')
    await seen(table('Consumers').getByText('acme-post', { exact: true }))
    await page.getByLabel('Name or user name').fill('O-OPER')
    await button('Show').click()
    await table('Consumers').getByText('acme-post', { exact: true }).waitFor({ state: 'detached' })
    await table('Consumers').getByRole('link').click()
    await seen(table('Keys').getByRole('row', { name: /^Password/ }))
    expect(await page.getByRole('button', { name: /^Replace/ }).count()).toBe(0)
  })

  /** Replaces a credential of the consumer that the page shows, and returns the new one. */
  async function replaced(credential: 'API key' | 'password'): Promise<string> {
    await button(`Replace ${credential}…`).click()
    const own = dialog().getByLabel('Your own password')
    await own.fill('The password of another 1')
    await agree(page, `Replace 1 ${credential}`)
    await seen(dialog().getByText('Your own password: This is not your own password'))
    await own.fill(ground.credentials.operator.password)
    await agree(page, `Replace 1 ${credential}`)
    const secret = dialog().locator('.secret')
    await seen(secret)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const shown = (await secret.textContent())!.trim()
    await agree(page, 'Close')
    await seen(told(`Done: the ${credential} of Acme Post is replaced.`))
    expect(await page.content()).not.toContain(shown)
    return shown
  }

  test('a corrected address is checked, and what was entered stays', async () => {
    const id = await ground.consumer.submit(aLetter(undefined, { sendControl: { hold: true } }))
    await ground.consumer.reached(id, 'PENDING')
    await signIn(page, ground.credentials.operator)
    await page.goto(`/print-jobs?find=${id}`)
    await page.getByRole('link', { name: id }).click()
    await button('Correct the address…').focus()
    await page.keyboard.press('Enter')
    const line = (label: string) => dialog().getByLabel(label)
    await line('Line 1').fill('2 Quarry Lane')
    await line('Country').fill('France')
    await line('Reason').fill('asked for by telephone')
    await agree(page, 'Make the letter again')
    await seen(dialog().getByRole('alert').getByText('has no postcode or BFPO number'))
    expect(await line('Line 1').inputValue()).toBe('2 Quarry Lane')
    await line('Country').fill('')
    await agree(page, 'Make the letter again')
    await seen(told('Done: the letter was made again'))
  })

  test('changes are found by author, action, object and time', async () => {
    const id = await ground.consumer.submit(aLetter(undefined, { sendControl: { hold: true } }))
    await ground.consumer.reached(id, 'PENDING')
    await signIn(page, ground.credentials.operator)
    await page.goto(`/print-jobs?find=${id}`)
    await page.getByRole('link', { name: id }).click()
    await button('Release…').click()
    await dialog().getByLabel('Reason').fill('the enclosure is here')
    await agree(page, 'Release')
    await seen(told('Done: release.'))
    const today = londonDateOf(new Date())
    const field = (label: string) => page.getByLabel(label, { exact: true })

    await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'Audit' }).click()
    await seen(table('Audit events, newest first').getByText('print-job.released'))

    await place('Audit').click()
    await field('Who').selectOption(ground.credentials.operator.userName)
    await field('What').selectOption('print-job.released')
    await field('Id of what an event is about').fill(id)
    await field('From').fill(today)
    await field('To').fill(today)
    await button('Find').click()
    await seen(page.getByText('1 event matches', { exact: true }))
    await seen(
      table('Audit events, newest first')
        .getByRole('cell')
        .getByText(/^reason: the enclosure is here, /),
    )

    await field('From').fill('2020-01-01')
    await field('To').fill('2020-01-31')
    await button('Find').click()
    await seen(page.getByText('No event matches.'))
    await page.reload()
    await seen(page.getByText('No event matches.'))
    expect(await field('What').inputValue()).toBe('print-job.released')
    expect(await field('To').inputValue()).toBe('2020-01-31')
    await link('All changes').click()
    await page.waitForURL('/audit')
    await seen(table('Audit events, newest first').getByText('print-job.released').first())
  })

  test('a rejected letter says whether its consumer was informed, and links to others of the same rule', async () => {
    const target = `${ground.receiver.origin}/callbacks`
    const submit = (more = {}) => ground.consumer.submit(aLetter('UAT REJECT ADDRESS', more))
    const other = await submit()
    const notified = await submit({ callbackParams: { target } })
    for (const id of [other, notified]) await ground.consumer.reached(id, 'REJECTED')
    await signIn(page, ground.credentials.operator)
    await page.goto(`/print-jobs?find=${other}`)
    await page.getByRole('link', { name: other }).click()
    await seen(page.getByText('has not been notified: no callback was made.'))

    await link('P502 address-empty').click()
    await page.waitForURL(/status=REJECTED&consumerId=.*&rule=P502&createdFrom=/)
    await page.getByRole('link', { name: notified }).click()

    const answer = page.getByRole('definition').filter({ hasText: /was notified at \d\d:\d\d\.$/ })
    await seen(answer)
  })

  test('a run is found by its number before its letters, and links to them and to its postings', async () => {
    const id = await ground.consumer.submit(aLetter())
    await ground.consumer.reached(id, 'DESPATCHED')
    const [job] = await ground.query('select batch_number as number from print_job where id = $1', [
      id,
    ])
    const { number } = job as { number: string }
    await signIn(page, ground.credentials.operator)

    await page.getByRole('combobox').fill(number)
    await seen(page.getByRole('option').first().getByText(`Run ${number}`))
    await seen(page.getByRole('option', { name: id }))
    await page.keyboard.press('Enter')
    await page.waitForURL(`/print-runs?run=${number}`)
    await seen(table('Postings').getByText(/^Confirmed/))
    await page
      .getByRole('definition')
      .getByRole('link', { name: /^\d+ documents?$/ })
      .click()
    await seen(table('Letters, newest first').getByRole('link', { name: id }))
    await page.goBack()
    await link('demo-provider').click()

    await page.waitForURL('/print-runs?providerId=demo-provider')
    await seen(table('Print runs').getByRole('link', { name: number }))
  })

  test('the print jobs of a filter are held together after their exact number is typed', async () => {
    const hold = { sendControl: { hold: true } }
    const ids = [
      await ground.consumer.submit(aLetter('Mr Isaac Quarry', hold)),
      await ground.consumer.submit(aLetter('Mrs Edna Quarry', hold)),
    ]
    for (const id of ids) await ground.consumer.reached(id, 'PENDING')
    await signIn(page, ground.credentials.operator)

    await seen(page.getByRole('combobox'))
    await page.keyboard.press('/')
    await page.keyboard.type('Quarry')
    await seen(page.getByRole('option', { name: ids[0]! }))
    await page.keyboard.press('Control+Enter')
    await seen(page.getByText('2 letters match'))
    expect(page.url()).not.toContain('Quarry')
    await page.getByLabel('Problem', { exact: true }).selectOption('held')
    await button('Select all 2 that match').click()
    await button('Hold 2 letters…').click()
    await dialog().getByLabel('Reason').fill('wrong enclosure')
    await agree(page, 'Plan bulk action…')
    await seen(heading('Hold: 2 letters'))
    await seen(told('2 letters, possible now: 2. Nothing happens until the plan is confirmed.'))
    await seen(page.getByText('only: held; a text that is not stored'))
    await button('Confirm…').click()
    await dialog().getByLabel('Type 2, the number of letters').fill('1')
    await agree(page, 'Hold 2 letters now')
    await seen(dialog().getByText('There are 2, not 1. Nothing was done.'))
    await dialog().getByLabel('Type 2, the number of letters').fill('2')
    await agree(page, 'Hold 2 letters now')

    await seen(told('Ended: 2 of 2 letters done.'))
    await link('Refused 0').click()
    await seen(page.getByText('0 of 2', { exact: true }))
    await link('Done 2').click()
    await table('Letters and outcomes').getByRole('link', { name: ids[0]! }).click()
    await seen(timeline().getByText('wrong enclosure'))
  })

  test('a saved view is offered until it is deleted', async () => {
    await signIn(page, ground.credentials.operator)
    await place('Letters').click()
    await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Open, not ended' })
    await page.getByLabel('Due', { exact: true }).selectOption({ label: 'Today or earlier' })
    await button('Save view…').click()
    await dialog().getByLabel('Name').fill('Mine')
    await agree(page, 'Save view')
    await place('Letters').click()
    // the page before has the link, too
    await page.waitForURL(({ search }) => search === '')
    await link('Mine').click()

    await seen(page.locator('[aria-current=page]').getByText('Mine'))
    expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('OPEN')
    await button('Forget view').click()
    await seen(button('Save view…'))
    expect(await link('Mine').count()).toBe(0)
  })

  test('a paused queue appears on Now and Queues, and is drained and resumed without the loss of a letter', async () => {
    const { consolePath, runbook } = await readAlert('QueuePaused')
    expect(runbook).toContain(`\`${consolePath}\``)
    await signIn(page, ground.credentials.operator)
    await place('Queues').click()
    const row = (name: RegExp) => table('Queues').getByRole('row', { name })
    await seen(told('No queue is paused.'))
    await seen(button('Drain letters: Not now. The queue is empty.'))
    await button('Pause letters…').click()
    await seen(dialog().getByText('Letters wait before they are checked.'))
    await dialog().getByLabel('Why it is paused').fill(whyPaused)
    await agree(page, 'Pause letters')
    await seen(told(/^Queue letters: paused; /))
    const paused = page.getByRole('region', { name: 'State' })
    await seen(paused.getByText(ground.credentials.operator.userName))
    await seen(paused.getByText(whyPaused))

    const id = await ground.consumer.submit(aLetter())
    await seen(row(/^letters .* Paused 1 0 /))
    await place('Now').click()
    await link('Open queues: The queue letters is paused, 1 task waits').click()
    await seen(told('Paused: letters.'))

    await button('Drain letters…').click()
    await seen(dialog().getByRole('heading', { name: 'Drain letters and remove 1 task?' }))
    await seen(dialog().getByText('Nothing is lost'))
    await agree(page, 'Drain letters')
    await seen(told('Queue letters: tasks removed: 1.'))
    await button('Resume letters…').first().click()
    await agree(page, 'Resume letters')
    await seen(told(/^Queue letters: resumed; /))
    await seen(row(/^letters .* Running /))
    await button('Retry letters…').click()
    await agree(page, 'Retry letters')

    await seen(told(/print jobs woken: [01]\.$/))
    await ground.consumer.reached(id, 'DESPATCHED')
  })

  test('a template shows its letter with pasted values, and which pages of another version differ', async () => {
    await signIn(page, ground.credentials.operator)
    await page.goto('/templates')
    await link('renewal').click()
    const pictureOf = (version: string) =>
      page.getByRole('img', { name: `Page 1 of the letter of ${version}` })
    await seen(pictureOf('renewal@2'))
    const ofSample = await pictureOf('renewal@2').getAttribute('src')

    const json = page.getByLabel('Values as JSON')
    const values = await json.inputValue()
    await json.fill(values.replace('Ms Ada Example', 'Mx Other Example'))
    await eventually(async () => (await pictureOf('renewal@2').getAttribute('src')) !== ofSample, {
      message: 'the letter of the pasted values is shown',
    })
    await json.fill('{ "name":')
    await seen(page.getByText('The values are not JSON'))
    await json.fill('{ "name": "Mx Other Example" }')
    await seen(page.getByText(/values: .*amount/))

    await page.getByLabel('Values', { exact: true }).selectOption('ordinary')
    await page.getByLabel('Compare with').selectOption('renewal@1')
    await seen(pictureOf('renewal@1'))
    await seen(told('1 page, different: 1'))
    if (pictures)
      await page.screenshot({ path: `${pictures}/template-compared.png`, fullPage: true })

    await link('renewal@1').click()
    await seen(heading('renewal@1'))
    await page.getByLabel('Compare with').selectOption('renewal@2')
    await seen(told('1 page, different: 1'))
  })

  test('an operator without the admin role sees which role an action requires', async () => {
    await signIn(page, ground.credentials.operator)
    const created = { userName: 'only-an-operator', name: 'Operator', roles: ['operator'] }
    const { password } = await post('/consumers', created)
    await button('Sign out').click()
    await seen(heading('Sign in to Despatch'))
    await signIn(page, { userName: created.userName, password })

    await place('Queues').click()
    await seen(button('Pause letters: Requires the admin role.'))
    await seen(button('Retry letters…'))
    expect(await button('Pause letters…').count()).toBe(0)
    expect(await button('Drain letters…').count()).toBe(0)
  })

  test('the page Now updates automatically', async () => {
    await signIn(page, ground.credentials.operator)
    const despatched = page.getByRole('region', { name: 'Today' }).getByRole('definition').nth(2)
    const count = async () => Number((await despatched.textContent())!.replace(',', ''))
    await seen(despatched)
    const before = await count()
    await page.evaluate('globalThis.isTheSamePage = true')

    await ground.consumer.submit(aLetter())

    await eventually(async () => (await count()) > before, {
      message: 'another letter is counted',
    })
    expect(await page.evaluate('globalThis.isTheSamePage')).toBe(true)
  })

  test('the page of a print job updates automatically without disturbing its reader', async () => {
    const id = await ground.consumer.submit(aLetter(undefined, { sendControl: { hold: true } }))
    await ground.consumer.reached(id, 'PENDING')
    await signIn(page, ground.credentials.operator)
    await page.goto(`/print-jobs?find=${id}`)
    await page.getByRole('link', { name: id }).click()
    await seen(told(`Letter ${id} is PENDING, held.`))
    await button('Hold…').click()
    await seen(dialog().getByText('Its consumer can then not release it.'))
    await agree(page, 'Back')
    await button('Cancel…').click()
    const why = dialog().getByLabel('Reason')
    await why.fill('half a rea')
    const { userName } = ground.credentials.operator

    await act('hold', 'by somebody else')
    await timeline().getByText(`Held by ${userName}: by somebody else`).waitFor()
    expect(await why.inputValue()).toBe('half a rea')
    expect(await why.evaluate('document.activeElement.value')).toBe('half a rea')

    await act('release', 'all is well')
    await seen(told(`Letter ${id} is DESPATCHED.`))
    await seen(told(/^No longer possible\. /))
    expect(await why.count()).toBe(0)
  })

  test('single keys lead through a list and its letters, and can be switched off', async () => {
    for (const _ of [1, 2, 3]) await ground.consumer.submit(aLetter())
    const { keyboard } = page
    const focused = () =>
      page.evaluate<string>('document.activeElement.querySelector(".mono")?.textContent ?? ""')
    await signIn(page, ground.credentials.operator)
    await page.goto('/print-jobs?createdFrom=2020-01-01')
    await seen(table('Letters, newest first'))
    const ids = await page.locator('tbody th[scope=row] a .mono').allTextContents()

    for (const key of ['j', 'J', 'j', 'k']) await keyboard.press(key)
    expect(await focused()).toBe(ids[1])
    await keyboard.press('x')
    await seen(page.getByText('1 selected'))
    expect(await page.getByLabel(`Select letter ${ids[1]}`).isChecked()).toBe(true)

    await keyboard.press('Enter')
    await seen(page.getByText(`2 of ${ids.length} on this page`))
    await keyboard.press('j')
    await seen(page.getByText(`3 of ${ids.length} on this page`))
    await seen(page.getByTitle(ids[2]!).first())
    await link('Previous letter').click()
    await seen(page.getByTitle(ids[1]!).first())

    await keyboard.press('?')
    await seen(dialog().getByText('Select the row, or no longer'))
    await dialog().getByLabel('Single keys act').uncheck()
    await agree(page, 'Save')
    await seen(told('Single keys do nothing.'))
    await keyboard.press('j')
    await keyboard.press('?')
    await keyboard.press('Control+k')
    await seen(page.locator('input[role=combobox]:focus'))
    expect(await dialog().count()).toBe(0)
    await seen(page.getByText(`2 of ${ids.length} on this page`))
    await button('Keys').click()
    await dialog().getByLabel('Single keys act').check()
    await agree(page, 'Save')
    await seen(told('Single keys act.'))
    await page.getByRole('main').getByRole('link', { name: 'Letters', exact: true }).click()
    await page.waitForURL('/print-jobs?createdFrom=2020-01-01')
  })

  test('every action can be done by keyboard with a visible focus', async () => {
    const id = await aParkedLetter(ground)
    const { userName, password } = ground.credentials.operator
    const { keyboard } = page
    await page.goto('/sign-in')
    await seen(page.locator('input[name="userName"]:focus'))
    await keyboard.type(userName)
    await tabTo(page, page.getByLabel('Password'))
    await keyboard.type(password)
    await keyboard.press('Enter')
    await seen(heading('Now'))

    for (const name of listedPages) {
      await tabTo(page, place(name))
      await keyboard.press('Enter')
      await seen(page.getByRole('heading', { level: 1, name, exact: true }))
    }
    await tabTo(page, place('Letters'))
    await keyboard.press('Enter')
    await seen(told(/^Letters shown: /))
    await tabTo(page, page.getByLabel('Problem', { exact: true }))
    await keyboard.type('Parked')
    await seen(told('Letters shown: 1.'))
    await keyboard.press('/')
    await keyboard.type(id)
    await seen(page.getByRole('option', { name: id }))
    await keyboard.press('Enter')
    await tabTo(page, button('Retry…'))
    await keyboard.press('Enter')
    await seen(dialog().getByLabel('Reason'))
    await keyboard.type('object store is back')
    await keyboard.press('Enter')

    await seen(told('Done: retry.'))
    await ground.consumer.reached(id, 'DESPATCHED')
  })

  test('every page is accessible, in light or dark, wide or narrow', async () => {
    await ground.consumer.submit(aLetter('UAT SPOIL'))
    await aWaitingReprint(ground)
    const target = `${ground.receiver.origin}/callbacks`
    await ground.consumer.submit(aLetter(undefined, { callbackParams: { target } }))
    const held = await ground.consumer.submit(aLetter(undefined, { sendControl: { hold: true } }))
    await ground.consumer.reached(held, 'PENDING')
    const rejected = await ground.consumer.submit(aLetter('UAT REJECT ADDRESS'))
    await ground.consumer.reached(rejected, 'REJECTED')
    const barriers: string[] = []
    const look = async (name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1280, 400]) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: 900 })
          const where = `${name}-${colorScheme}-${width}`
          // the dark scheme only changes colours, which are the same at every width
          const only = colorScheme === 'dark' ? 'colours' : undefined
          const found = only && width === 400 ? [] : await findBarriers(page, { only })
          barriers.push(...found.map((barrier) => `${where}: ${barrier}`))
          if ((await overhang(page)) > 0) barriers.push(`${where}: is wider than its window`)
          if (pictures) await page.screenshot({ path: `${pictures}/${where}.png`, fullPage: true })
        }
      }
    }
    await page.goto('/sign-in')
    await seen(button('Sign in to UAT'))
    await look('sign-in')
    await signIn(page, ground.credentials.operator)
    await aStoppedBulkAction(held)
    await eventually(async () => (await ground.query('select from callback_attempt')).length > 0, {
      deadlineMs: 60_000,
      message: 'a callback is attempted',
    })
    for (const { name, path, shows, unfolds, asks } of await pagesOf(ground)) {
      await page.goto(path)
      await seen(page.getByRole(shows.role, { name: shows.name }).first())
      if (unfolds) await page.locator('summary').getByText(unfolds).first().click()
      await look(name)
      if (!asks) continue
      await button(asks).first().click()
      await seen(dialog())
      await look(`${name}-question`)
    }

    expect(barriers).toEqual([])
  })

  /** Changes the print job on screen, as another person would in another window. */
  async function act(action: string, reason: string): Promise<void> {
    const key = new URL(page.url()).searchParams.get('key')
    await post(`/print-jobs/${key}/${action}`, { reason })
  }

  async function aStoppedBulkAction(printJobId: string): Promise<void> {
    const [row] = await ground.query('select key from print_job where id = $1', [printJobId])
    const printJobKeys = [(row as { key: string }).key]
    const plan = { action: 'release', reason: 'approved', printJobKeys }
    const { bulkActionId } = await post('/bulk-actions', plan)
    await post(`/bulk-actions/${bulkActionId}/stop`)
  }

  /** Calls the administration API as the page does. */
  async function post(path: string, data?: object, method: 'POST' | 'PUT' = 'POST') {
    const answer = await page.request.fetch(`/administration/v1${path}`, {
      method,
      ...(data && { data }),
      headers: { 'x-despatch-console': '1', origin: new URL(page.url()).origin },
    })
    expect(answer.ok()).toBe(true)
    return answer.json()
  }

  async function metric(name: string, value: number): Promise<boolean> {
    const text = await (await fetch(`${ground.credentials.opsUrl}/metrics`)).text()
    return new RegExp(`^${name}(\\{[^}]*\\})? ${value}$`, 'm').test(text)
  }
})
