import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import {
  dialogOf,
  findChromium,
  type OwnBrowser,
  startBrowser,
  type Visit,
  visit,
} from './browser.ts'
import { type ConsoleGround, startConsoleGround } from './console-ground.ts'

/** What the tests of a suite share, with a window of its own for each test. */
export type UsedConsole = { ground: ConsoleGround; own: OwnBrowser; visitor: Visit; page: Page }

/**
 * Starts a ground and a browser for the tests of a suite, and opens a window before each of them. `opened` gets them.
 * After each test the window must have no faults but those that `expectedFaults` returns. Returns ways to find what a
 * page shows.
 */
export function useConsole(
  opened: (used: UsedConsole) => unknown,
  { expectedFaults = () => [] }: { expectedFaults?: () => unknown[] } = {},
) {
  const parts = new AsyncDisposableStack()
  let ground: ConsoleGround
  let own: OwnBrowser
  let visitor: Visit

  beforeAll(async () => {
    ground = parts.use(await startConsoleGround())
    own = parts.use(await startBrowser(findChromium()!))
  })
  afterAll(() => parts.disposeAsync())
  beforeEach(async () => {
    visitor = await visit(own.browser, ground.credentials.opsUrl)
    await opened({ ground, own, visitor, page: visitor.page })
  })
  afterEach(async () => {
    await visitor[Symbol.asyncDispose]()
    expect(visitor.faults).toEqual(expectedFaults())
  })

  const byRole = (role: 'button' | 'link' | 'heading' | 'table') => (name: string) =>
    visitor.page.getByRole(role, { name, exact: true })
  return {
    button: byRole('button'),
    link: byRole('link'),
    heading: byRole('heading'),
    table: byRole('table'),
    /** A link of the navigation; Now also says how much needs a look. */
    place: (name: string) =>
      visitor.page
        .getByRole('navigation', { name: 'Console' })
        .getByRole('link', { name: new RegExp(`^${name}`) }),
    told: (text: string | RegExp) => visitor.page.getByRole('status').getByText(text),
    dialog: () => dialogOf(visitor.page),
    seen: (what: Locator) => what.waitFor({ state: 'visible' }),
  }
}
