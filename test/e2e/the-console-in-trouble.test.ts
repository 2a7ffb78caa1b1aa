import { eventually } from '@despatch/testing/eventually'
import type { Route } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { aBulkAction } from '../stack/console/a-bulk-action.ts'
import { aLetter } from '../stack/console/a-letter.ts'
import { agree, findChromium, signIn } from '../stack/console/browser.ts'
import { type UsedConsole, useConsole } from '../stack/console/use-console.ts'

const chromium = findChromium()
const api = '**/administration/v1'
const whyPaused = 'the printer is repaired'

describe.skipIf(!chromium)('the console, while a service does not answer', () => {
  let { ground, page } = {} as UsedConsole
  /** What the browser logs although a page handles it: the test makes the console fail. */
  let isFaultExpected = false
  const { button, told, table, dialog, seen } = useConsole(
    async (used) => {
      ;({ ground, page } = used)
      isFaultExpected = false
      await signIn(page, ground.credentials.operator)
    },
    { expectedFaults: () => (isFaultExpected ? [expect.stringMatching(/^error: /)] : []) },
  )
  /** Lets the page read at once what it reads every few seconds. */
  const lookAgain = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  const away = (route: Route) => route.fulfill({ status: 503, json: {} })

  test('a dialog stays until the request is answered, and shows the result even if the page cannot be read again', async () => {
    await page.goto('/queue-control')
    await button('Pause letters…').click()
    isFaultExpected = true
    await page.route(`${api}/queues/letters/pause`, (route) => route.fulfill({ json: null }))
    await dialog().getByLabel('Why it is paused').fill(whyPaused)
    await agree(page, 'Pause letters')
    await seen(dialog().getByText(/^The console failed: /))
    await page.unroute(`${api}/queues/letters/pause`)

    const held = await late(`${api}/queues/letters/pause`)
    await agree(page, 'Pause letters')
    await seen(dialog().getByText('Sending …'))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await dialog().getByRole('button', { name: 'Back' }).isDisabled()).toBe(true)
    await page.route(`${api}/queues`, away)
    held.resolve()

    const done = /^Queue letters: paused; \d+ waiting\. This page could not be updated: .* 503\.$/
    await seen(told(done))
    expect(await dialog().count()).toBe(0)
    await answered('/queues', lookAgain)
    expect(await page.locator('#notice').textContent()).toMatch(done)
    await page.unroute(`${api}/queues`)
    await button('Resume letters…').first().click()
    await agree(page, 'Resume letters')
    await seen(told(/^Queue letters: resumed; /))

    await page.route(`${api}/queues`, away)
    await lookAgain()
    await seen(told(/ 503\. The data shown is out of date\.$/))
    await page.unroute(`${api}/queues`)
    await lookAgain()
    await page.locator('#notice').waitFor({ state: 'hidden' })
  })

  test('no click is lost when the script or the session of a page is late', async () => {
    const [row] = await ground.query("select id from consumer where user_name = 'demo-consumer'")
    const session = await late(`${api}/sessions`)
    await page.goto(`/consumers?consumer=${(row as { id: string }).id}`)
    await button('Replace API key…').click()
    session.resolve()
    await seen(dialog().getByLabel('Your own password'))

    await page.unroute(`${api}/sessions`)
    const performance = await late(`${api}/callback-performance*`)
    await page.goto('/callbacks')
    await page.getByLabel('Origin', { exact: true }).fill('https://one.example')
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(1)
    await button('Show').hover()
    const show = (await button('Show').boundingBox())!
    await page.mouse.down()
    performance.resolve()
    await seen(page.getByText('No callback was created in the last day.'))
    const { y } = (await button('Show').boundingBox())!
    expect(Math.abs(y - show.y)).toBeGreaterThan(show.height)
    await page.mouse.up()
    await page.waitForURL(/origin=https%3A%2F%2Fone\.example/)

    const script = await late('**/console/*.js')
    await page.goto('/callbacks', { waitUntil: 'commit' })
    await seen(page.getByText('Times are London times.'))
    // a button that is there must act
    const isThere = await button('Sign out').isVisible()
    const clicked = button('Sign out').click()
    if (isThere) await clicked
    script.resolve()
    await clicked
    await seen(page.getByRole('heading', { name: 'Sign in to Despatch' }))
  })

  test('only the results of the current filter are shown and counted, even if an answer is late', async () => {
    const parked = Promise.withResolvers<void>()
    await page.goto('/print-jobs')
    await seen(told(/^Letters shown: /))
    await page.route(`${api}/print-jobs/search`, async (route) => {
      if (route.request().postDataJSON().only !== 'parked') return route.continue()
      await parked.promise
      return away(route)
    })
    await page.getByLabel('Problem', { exact: true }).selectOption('parked')
    await seen(page.locator('section[aria-label=Letters][aria-busy=true]'))
    expect(await page.getByText('No letter matches.').count()).toBe(0)
    await page.getByLabel('Problem', { exact: true }).selectOption('held')
    await seen(page.getByText('No letter matches.'))
    await answered('/print-jobs/search', parked.resolve)
    expect(await page.locator('#notice').textContent()).not.toContain('503')

    const count = Promise.withResolvers<void>()
    await page.route(`${api}/callbacks/replay`, async (route) => {
      const isOfOrigin = route.request().postDataJSON().origin !== undefined
      if (!isOfOrigin) await count.promise
      return route.fulfill({ json: { count: isOfOrigin ? 3 : 7 } })
    })
    await page.goto('/callbacks')
    await page.getByLabel('Origin', { exact: true }).fill('https://one.example')
    await button('Show').click()
    await seen(button('Send 3 again…'))
    await answered('/callbacks/replay', count.resolve)
    await button('Send 3 again…').click()
    await seen(dialog().getByText('https://one.example'))
    await seen(dialog().getByRole('heading', { name: 'Send 3 callbacks again?' }))
  })

  test('an outage that a service reports is in the first line of Health until it ends', async () => {
    await ground.query(
      `insert into dependency_outage (service, dependency, since, reason)
       values ('elsewhere', 'virus-scanner', now() - interval '1 minute', 'ECONNREFUSED')`,
    )
    await page.goto('/health')
    const state = page.getByRole('region', { name: 'State' })
    await seen(state.getByText('Unavailable: virus-scanner (reported by elsewhere).'))
    await seen(state.getByText('Outage', { exact: true }))

    await ground.query(`delete from dependency_outage where service = 'elsewhere'`)
    await seen(
      state.getByText(
        'No check fails, no service reports an outage, and all periodic tasks succeed.',
      ),
    )
  })

  test('stale figures are marked on a phone too, until new ones arrive', async () => {
    const facts = await page.evaluate<string>(`new Promise((resolve) => {
      const events = new EventSource('/events')
      events.addEventListener('facts', ({ data }) => { events.close(); resolve(data) })
    })`)
    const again = await late('**/events')
    const body = `event: facts\ndata: ${facts}\n\n`
    const once = (route: Route) => route.fulfill({ contentType: 'text/event-stream', body })
    await page.route('**/events', once, { times: 1 })
    await page.setViewportSize({ width: 400, height: 900 })
    await page.goto('/')

    await seen(told('No response. These figures are out of date.'))
    const stale = page.locator('.live.stale')
    await seen(stale)
    again.resolve()
    await stale.waitFor({ state: 'hidden' })
    await page.locator('#notice').waitFor({ state: 'hidden' })
  })

  const nobody = '0190a000-0000-7000-8000-000000000000'
  test.each([
    ['/print-job?key=', 'Letter'],
    ['/callbacks?callback=', 'Callback'],
    ['/consumers?consumer=', 'Consumer'],
    ['/bulk-actions?bulk=', 'Bulk action'],
  ])('%s… of an unknown id shows an error instead of its content', async (path, title) => {
    await page.goto(path + nobody)

    const card = page.locator('section.card').filter({ hasText: title })
    await seen(card.getByText(new RegExp(`${nobody}|does not exist|no such`, 'i')))
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })

  test('a failed part beside a list shows the reason, and can be read again', async () => {
    await page.route(`${api}/callback-origins*`, away)
    await page.goto('/callbacks')
    const origins = page.locator('section.card').filter({ hasText: 'Origins that need a look' })
    await seen(origins.getByText(/503/))
    await page.unroute(`${api}/callback-origins*`)

    await origins.getByRole('button', { name: 'Try again' }).click()

    await origins.waitFor({ state: 'hidden' })
    await seen(page.getByText('No origin fails now.'))
  })

  test('a page of a list that cannot be read can be requested again, and no page is skipped', async () => {
    const pageOf = (name: string, nextCursor?: string) => ({
      json: { bulkActions: [aBulkAction(name)], ...(nextCursor && { nextCursor }) },
    })
    let isAway = true
    const asked: (string | null)[] = []
    const slow = Promise.withResolvers<void>()
    await page.route(
      ({ pathname }) => pathname.endsWith('/v1/bulk-actions'),
      async (route) => {
        const cursor = new URL(route.request().url()).searchParams.get('cursor')
        asked.push(cursor)
        if (isAway) return away(route)
        if (cursor === 'two') await slow.promise
        return route.fulfill(pageOf(cursor ?? 'one', cursor === null ? 'two' : 'three'))
      },
    )
    await page.goto('/bulk-actions')
    await seen(page.getByRole('heading', { level: 2, name: 'Bulk actions' }))
    await seen(page.locator('main section').getByText(/ 503\.$/))
    isAway = false
    await button('Try again').click()
    await seen(page.getByText('Page 1, newest first'))

    await button('Older').click()
    await button('Older').click()
    slow.resolve()
    await seen(page.getByText('Page 2, newest first'))
    isAway = true
    await button('Older').click()
    await seen(told(/ 503\.$/))
    await seen(page.getByText('Page 2, newest first'))

    expect(asked).toEqual([null, null, 'two', 'three'])
  })

  test('Retry of parked letters shows its progress, and continues from there', async () => {
    const answers = [
      { redriven: 500, left: 700 },
      undefined,
      { redriven: 500, left: 200 },
      { redriven: 200, left: 0 },
    ]
    const parked = {
      count: 1_200,
      failures: [{ failure: 'ECONNRESET', count: 1_200, isOutage: true }],
    }
    await page.route(`${api}/parked-print-jobs`, (route) => route.fulfill({ json: parked }))
    await page.route(`${api}/parked-print-jobs/redrive`, (route) => {
      const json = answers.shift()
      return json ? route.fulfill({ json }) : away(route)
    })
    await page.goto('/print-jobs?only=parked')
    await button('Retry all 1,200…').click()
    await dialog().getByLabel('Reason').fill('the network is back')

    await agree(page, 'Retry all 1,200')
    await seen(dialog().getByText(/^Retried: 500\. Still parked: 700\. Then: .* 503\.$/))
    await agree(page, 'Retry all 1,200')
    await seen(told('Retried: 700. Still parked: 0.'))
    expect(answers).toEqual([])
  })

  test('shares change after a preview of their effect, and not for a site that was disabled after it', async () => {
    const [site] = (await ground.query('select enabled, share from print_site')) as [
      { enabled: boolean; share: number },
    ]
    const preview = async () => {
      await button('Change shares…').click()
      await agree(page, 'Preview…')
      await seen(dialog().getByText('No share is different.'))
      await dialog()
        .getByRole('spinbutton')
        .first()
        .fill(String(site.share + 1))
      await agree(page, 'Preview…')
    }
    await page.goto('/print-runs')
    await preview()
    await seen(dialog().getByText(/would go as shown|cannot be compared/))
    const effect = table('Documents a day, before and after')
    await seen(effect.getByText(`${site.share} → ${site.share + 1}`))
    await ground.query('update print_site set enabled = false')
    await agree(page, 'Change 1 site')
    await seen(dialog().getByText(/Site .* is disabled\. Nothing is changed\./))
    expect(await ground.query('select enabled, share from print_site')).toEqual([
      { enabled: false, share: site.share },
    ])

    await button('Back').click()
    await preview()
    await page.route(`${api}/print-sites/shares`, away, { times: 1 })
    await agree(page, 'Change 1 site')
    await seen(dialog().getByText(/ 503\.$/))
    await agree(page, 'Change 1 site')
    await seen(told('Done: the share of 1 site is changed.'))
    expect(await ground.query('select enabled, share from print_site')).toEqual([
      { enabled: false, share: site.share + 1 },
    ])
    await ground.query('update print_site set enabled = true, share = $1', [site.share])
  })

  test('the search shows what could not be searched, and searches again the next time', async () => {
    const { userName } = ground.credentials.operator
    const isOfConsumers = ({ pathname }: URL) => pathname.endsWith('/v1/consumers')
    const field = page.getByRole('combobox')
    await page.route(isOfConsumers, away)
    await page.route(`${api}/print-jobs/search`, away)
    await field.fill(userName)
    await seen(page.getByText(/^Letters could not be searched\. .* 503\.$/))
    await seen(page.getByText(/^Consumers could not be searched\. .* 503\.$/))
    expect(await page.getByText('Nothing found').count()).toBe(0)

    await page.unroute(isOfConsumers)
    await page.route(isOfConsumers, (route) =>
      new URL(route.request().url()).searchParams.has('cursor')
        ? route.continue()
        : route.fulfill({ json: { consumers: [], nextCursor: '0' } }),
    )
    await field.fill(userName.slice(0, -1))
    await seen(page.getByRole('option', { name: userName }))
  })

  test('the list of letters is shown with any URL and any saved views', async () => {
    await page.evaluate(
      `localStorage.setItem('despatch-views', '[1, ["x", null], ["Mine", {"only": "held"}]]')`,
    )
    await page.goto('/print-jobs?createdFrom=2026-02-30&dueTo=soon')

    await seen(told(/^Letters shown: /))
    await seen(page.getByRole('link', { name: 'Mine', exact: true }))
  })

  test('a plan whose answer was lost is created only once', async () => {
    const id = await ground.consumer.submit(aLetter())
    await page.goto(`/print-jobs?find=${id}`)
    await button('Select all shown').click()
    await button('Hold 1 letter…').click()
    await dialog().getByLabel('Reason').fill('wrong enclosure')
    await page.route(
      `${api}/bulk-actions`,
      async (route) => {
        await route.fetch()
        await away(route)
      },
      { times: 1 },
    )
    await agree(page, 'Plan bulk action…')
    await seen(dialog().getByText(/ 503\.$/))
    await agree(page, 'Plan bulk action…')

    await seen(page.getByRole('heading', { name: 'Hold: 1 letter' }))
    expect(await ground.query('select from bulk_action')).toHaveLength(1)
  })

  test('a page restored after its session has ended shows no content', async () => {
    await page.goto('/consumers')
    await seen(page.getByRole('table'))
    await page.route('**/sign-in*', (route) => route.fulfill({ status: 204 }))
    await page.context().clearCookies()
    await lookAgain()

    await eventually(async () => (await page.evaluate('document.body.textContent')) === '', {
      deadlineMs: 20_000,
      message: 'the page is empty',
    })
  })

  /** Holds requests back until it is resolved. */
  async function late(url: string): Promise<PromiseWithResolvers<void>> {
    const held = Promise.withResolvers<void>()
    await page.route(url, async (route) => {
      await held.promise
      await route.continue()
    })
    return held
  }

  /** Lets a response arrive, and waits until the page has had time to act on it. */
  async function answered(path: string, release: () => unknown): Promise<void> {
    const arrived = page.waitForResponse((response) => response.url().endsWith(path))
    await release()
    await (await arrived).finished()
    await page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done)))')
  }
})
