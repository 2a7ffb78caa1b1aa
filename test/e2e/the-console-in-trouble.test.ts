import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  agree,
  dialogOf,
  findChromium,
  type OwnBrowser,
  signIn,
  startBrowser,
  type Visit,
  visit,
} from '../stack/console/browser.ts'
import { type ConsoleGround, startConsoleGround } from '../stack/console/console-ground.ts'

const chromium = findChromium()
const api = '**/administration/v1'

describe.skipIf(!chromium)('the console, while something does not answer', () => {
  let ground: ConsoleGround
  let own: OwnBrowser
  let visitor: Visit
  let page: Page
  const parts = new AsyncDisposableStack()

  beforeAll(async () => {
    ground = parts.use(await startConsoleGround())
    own = parts.use(await startBrowser(chromium!))
  })
  afterAll(() => parts.disposeAsync())
  beforeEach(async () => {
    visitor = await visit(own.browser, ground.credentials.opsUrl)
    page = visitor.page
    await signIn(page, ground.credentials.operator)
  })
  afterEach(async () => {
    await visitor[Symbol.asyncDispose]()
    expect(visitor.faults).toEqual([])
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const told = (text: string | RegExp) => page.getByRole('status').getByText(text)
  const dialog = () => dialogOf(page)
  const seen = (what: Locator) => what.waitFor({ state: 'visible' })
  const away = (route: Route) => route.fulfill({ status: 503, json: {} })

  test('a question stays until it is answered, and what was done is told although the page cannot be read again', async () => {
    await page.goto('/queue-control')
    await button('Pause letters…').click()
    await page.route(`${api}/queues/letters/pause`, (route) => route.fulfill({ json: null }))
    await agree(page, 'Pause letters')
    await seen(dialog().getByText(/^The console failed: /))
    await page.unroute(`${api}/queues/letters/pause`)

    const held = Promise.withResolvers<void>()
    await page.route(`${api}/queues/letters/pause`, async (route) => {
      await held.promise
      await route.continue()
    })
    await agree(page, 'Pause letters')
    await seen(dialog().getByText('Sending …'))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await dialog().getByRole('button', { name: 'Back' }).isDisabled()).toBe(true)
    await page.route(`${api}/queues`, away)
    held.resolve()

    await seen(
      told(/^Queue letters: paused; \d+ waiting\. This page could not be updated: .* 503\.$/),
    )
    expect(await dialog().count()).toBe(0)
    await page.unroute(`${api}/queues`)
    await button('Resume letters…').first().click()
    await agree(page, 'Resume letters')
    await seen(told(/^Queue letters: resumed; /))
  })
})
