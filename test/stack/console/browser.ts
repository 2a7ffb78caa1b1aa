import { accessSync, constants } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { environmentOfTools } from '../start-despatch.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** The machine's own Chromium; undefined: it has none. */
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

/** Starts it without a screen, with a home of its own that goes with it. */
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

/** Somebody in front of a browser of their own: cookies are theirs alone. */
export type Visit = AsyncDisposable & {
  page: Page
  /** What no page may ever do: an error of its script, a breach of its policy, a call outside. One line each. */
  faults: readonly string[]
}

/** Opens a window in which nothing is cached yet, and notes the faults of what is shown in it. */
export async function visit(
  browser: Browser,
  baseURL: string,
  { colorScheme = 'light', width = 1280, height = 900 }: Look = {},
): Promise<Visit> {
  const context = await browser.newContext({ baseURL, colorScheme, viewport: { width, height } })
  const page = await context.newPage()
  const faults: string[] = []
  page.setDefaultTimeout(15_000)
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('console', (told) => {
    // a refused call is also told by the page, where the tests look for it
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

/** Signs in as a person does, and waits until the page Now is there. */
export async function signIn(
  page: Page,
  { userName, password }: { userName: string; password: string },
): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('User name').fill(userName)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor()
}
