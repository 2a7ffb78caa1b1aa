import type { Locator, Page } from 'playwright-core'

const stepsMax = 80
/** A page that has just been opened may still be loading its styles. */
const seenWithinMs = 10_000

/**
 * Presses Tab until the target has the focus. Throws if the target is not reached, or if the focus is not visible at
 * any step.
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'visible' })
  for (let steps = 0; steps < stepsMax; steps += 1) {
    await page.keyboard.press('Tab')
    await seeFocus(page)
    if (await target.evaluate((node) => node === node.ownerDocument.activeElement)) return
  }
  throw new Error(`Not reached by ${stepsMax} steps of the keyboard: ${target}`)
}

async function seeFocus(page: Page): Promise<void> {
  const isSeen = `${describeUnseenFocus} === null`
  await page.waitForFunction(isSeen, undefined, { timeout: seenWithinMs }).catch(async () => {
    const place = await page.evaluate<string | null>(describeUnseenFocus)
    if (place !== null) throw new Error(`The focus is on ${place}, and not to be seen`)
  })
}

/** Null if the focused element has an outline, or if the focus has left the page for the browser. */
const describeUnseenFocus = `(() => {
  const place = document.activeElement
  if (!place || place === document.body) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(place)
  const { width, height } = place.getBoundingClientRect()
  const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 1 && height > 1
  return isSeen ? null : place.outerHTML.slice(0, 80)
})()`
