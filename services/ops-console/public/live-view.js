import { Refusal } from './api.js'
import { announce } from './dom.js'

const readEveryMs = 3_000

/**
 * Shows facts that it reads again every few seconds while the page is visible and they may still change. `standing`
 * returns a sentence about their state; each new sentence is announced. Returns a function that shows newer facts, such
 * as the response to an action.
 */
export function createLiveView({ read, show, standing, mayChange = () => true }) {
  let shown
  let shownTimes = 0
  let isReading = false
  /** Whether the last read failed. */
  let isOld = false

  function display(facts) {
    const isNews = isOld || !shown || standing(facts) !== standing(shown)
    shown = facts
    shownTimes += 1
    isOld = false
    show(facts)
    if (isNews) announce(standing(facts))
  }

  /** A response to a read that began before an action is older than what the page shows, so it is dropped. */
  async function readAgain() {
    if (isReading || document.hidden || !shown || !mayChange(shown)) return
    isReading = true
    const before = shownTimes
    try {
      const facts = await read()
      if (before === shownTimes) display(facts)
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal
      isOld = true
      announce(`${refusal.message} The data shown is out of date.`, { isRefusal: true })
    } finally {
      isReading = false
    }
  }

  return {
    display,
    begin: async () => {
      display(await read())
      setInterval(readAgain, readEveryMs)
      document.addEventListener('visibilitychange', readAgain)
    },
  }
}
