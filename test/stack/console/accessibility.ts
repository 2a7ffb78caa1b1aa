import { eventually } from '@despatch/testing/eventually'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules of axe whose result depends on the colours, and those of WCAG without axe's own advice. */
const rulesOf = {
  colours: ['color-contrast', 'link-in-text-block'],
  wcag: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
}

/**
 * Returns the accessibility violations of the current page: one line for each rule and place. Other results are left
 * out. Without `only`, all rules apply.
 */
export async function findBarriers(
  page: Page,
  { only }: { only?: keyof typeof rulesOf | undefined } = {},
): Promise<string[]> {
  // not as a script of the page, because the page's policy blocks it; each page is checked several times
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    // WCAG 2.2 asks for it, and axe has it off
    const rules = { 'target-size': { enabled: true } }
    return axe.run({ resultTypes: ['violations'], ...(runOnly ? { runOnly } : { rules }) })
  }, only && rulesOf[only])
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  )
}

/** A plot takes on a new width of its window with a later frame. */
const redrawMsMax = 5_000

/**
 * Returns how far the page extends beyond the right edge once it is drawn, in pixels. Such a page must be scrolled
 * sideways to be read.
 */
export async function overhang(page: Page): Promise<number> {
  const measure = () =>
    page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
  const fits = async () => (await measure()) === 0
  const options = { deadlineMs: redrawMsMax, message: 'the page fits its window' }
  return eventually(fits, options).then(() => 0, measure)
}
