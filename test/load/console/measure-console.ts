import type { Page } from 'playwright-core'
import { findChromium, signIn, startBrowser, visit } from '../../stack/console/browser.ts'
import { startReceivers } from '../callbacks/receivers.ts'
import type { Settings } from '../command-line.ts'
import type { Comparison, Figure } from '../comparison.ts'
import { benchPassword } from '../consumer.ts'
import type { Ground } from '../ground.ts'
import { told } from '../growth/fill-system.ts'
import { openSystem } from '../growth/system.ts'
import { pagesShown, type ShownPage } from './pages-shown.ts'

const firstPaintMsMax = 150

type Taken = { firstPaintMs: number; contentMs: number }

/**
 * Opens each page of the console in a browser, beside many letters: how long until something is painted, and until its
 * content is there. The first round has an empty cache of modules and figures.
 */
export async function measureConsole(ground: Ground, settings: Settings): Promise<Comparison[]> {
  const chromium = findChromium()
  if (!chromium) throw new Error('There is no chromium on the PATH (apt-get install chromium)')
  const { finished, live, rounds } = settings
  await using parts = new AsyncDisposableStack()
  const receivers = await startReceivers(ground)
  const system = await openSystem(ground, settings, {
    size: { name: 'big', finished, live },
    receivers,
  })
  parts.defer(() => system.stage.close())
  const { origin } = await system.ground.serve('services/ops-console/src/main.ts', {
    environment: { LOG_LEVEL: 'warn', DESPATCH_ADMINISTRATION_URL: system.administration.origin },
  })
  const { browser } = parts.use(await startBrowser(chromium))
  const { page } = parts.use(await visit(browser, origin))
  await signIn(page, { userName: 'bench-operator', password: benchPassword })

  const pages = await pagesShown(system.stage.database.pool)
  const taken = new Map<string, Taken[]>(pages.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round++) {
    ground.tell(`pages of the console: round ${round} of ${rounds}`)
    for (const shown of pages) {
      ground.signal.throwIfAborted()
      taken.get(shown.name)!.push(await open(page, shown))
    }
  }
  const figures = [...taken].flatMap(([name, times]): Figure[] => [
    {
      name: `${name}, first paint, ms`,
      ours: times.map(({ firstPaintMs }) => firstPaintMs),
      target: { sense: 'at most', figure: firstPaintMsMax },
    },
    { name: `${name}, content, ms`, ours: times.map(({ contentMs }) => contentMs) },
  ])
  return [
    {
      scenario: `pages of the console beside ${told(finished + live)} letters`,
      rival: '',
      measures: [],
      figures,
      notes: ['both from the request of the page, in Chromium on the same machine'],
    },
  ]
}

/** Opens a page, and returns milliseconds since it was requested. Throws with what it shows instead of its content. */
async function open(page: Page, { path, shows: { role, name } }: ShownPage): Promise<Taken> {
  await page.goto(path)
  await page
    .getByRole(role, { name })
    .first()
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`${path} shows: ${await page.locator('main').textContent()}`, { cause })
    })
  return page.evaluate(() => {
    const contentMs = performance.now()
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    return { firstPaintMs: paint!.startTime, contentMs }
  })
}
