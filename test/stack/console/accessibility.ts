import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Returns the accessibility violations of the current page: one line for each rule and place. Other results are left
 * out.
 */
export async function findBarriers(page: Page): Promise<string[]> {
  // not as a script of the page, because the page's policy blocks it
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    return axe.run({ resultTypes: ['violations'] })
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/**
 * Returns how far the page extends beyond the right edge, in pixels. Such a page must be scrolled sideways to be read.
 */
export async function overhang(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}
