import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { environmentOfTools } from '../start-despatch.ts'

/** The shell comes first: without the parts of a browser that a person sees, it takes half of the processor time. */
const names = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
]

/** Returns the path of this machine's Chromium, or undefined if it has none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type OwnBrowser = AsyncDisposable & { browser: Browser }

/** Starts a browser without a screen, with its own home directory, which is deleted with it. */
export async function startBrowser(executablePath: string): Promise<OwnBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'despatch-browser-'))
  const removeHome = () => rm(home, { recursive: true, force: true, maxRetries: 5 })
  try {
    const browser = await chromium.launch({
      executablePath,
      args: ['--disable-dev-shm-usage'],
      env: { ...environmentOfTools(), HOME: home },
    })
    return {
      browser,
      [Symbol.asyncDispose]: async () => {
        await browser.close()
        await removeHome()
      },
    }
  } catch (error) {
    await removeHome()
    throw error
  }
}

export type Look = { colorScheme?: 'light' | 'dark'; width?: number; height?: number }

/** A visitor with a separate browser context, and so with separate cookies. */
export type Visit = AsyncDisposable & {
  page: Page
  /** What no page may ever do: raise a script error, violate its policy, or call another site. One line each. */
  faults: readonly string[]
}

/** Opens a window with an empty cache, and records the faults of every page shown in it. */
export async function visit(
  browser: Browser,
  baseURL: string,
  { colorScheme = 'light', width = 1280, height = 900 }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({ baseURL, colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  const faults: string[] = []
  page.setDefaultTimeout(60_000)
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('console', (told) => {
    // the page also reports a refused call, and the tests check that there
    const isRefusedCall = told.text().startsWith('Failed to load resource: the server responded')
    if (told.type() === 'error' && !isRefusedCall) faults.push(`console: ${told.text()}`)
  })
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:' && origin !== new URL(baseURL).origin) {
      faults.push(`outside: ${request.url()}`)
    }
  })
  return { page, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** Signs in as the sign-in page does, without showing it, and waits until the page Now is shown. */
export async function signIn(
  page: Page,
  { userName, password }: { userName: string; password: string },
): Promise<void> {
  const answer = await page.request.post('/administration/v1/sessions', {
    data: { userName, password },
    headers: { 'x-despatch-console': '1', 'sec-fetch-site': 'same-origin' },
  })
  if (!answer.ok()) throw new Error(`Signing in answered ${answer.status()}`)
  await page.goto('/')
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor()
}

/** Returns the open dialog. */
export function dialogOf(page: Page): Locator {
  return page.getByRole('dialog')
}

/** Presses the button of the open dialog that acts. */
export async function agree(page: Page, name: string): Promise<void> {
  await dialogOf(page).getByRole('button', { name, exact: true }).click()
}
