import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What keeps somebody from using the page as it is now: one line for each rule and place. Less than that is left out. */
export async function findBarriers(page: Page): Promise<string[]> {
  // not as a script of the page: its policy lets none in
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    return axe.run({ resultTypes: ['violations'] })
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** What of the page is out of sight to the right of it: such pages are read by scrolling to and fro. */
export async function overhang(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}
