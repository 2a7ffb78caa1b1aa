import { Refusal } from './api.js'
import { tell } from './dom.js'

const readEveryMs = 3_000

/**
 * What is read again every few seconds while it is looked at and may still change. `standing` says in a sentence how it stands,
 * which is told whenever it is another. Gives what shows something newer, such as the answer to what was done here.
 */
export function createLiveView({ read, show, standing, mayChange = () => true }) {
  let shown
  let shownTimes = 0
  let isReading = false
  /** The last reading got no answer. */
  let isOld = false

  function display(facts) {
    const isNews = isOld || !shown || standing(facts) !== standing(shown)
    shown = facts
    shownTimes += 1
    isOld = false
    show(facts)
    if (isNews) tell(standing(facts))
  }

  /** An answer that came while something was done here is older than what is shown since. */
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
      tell(`${refusal.message} What is shown is old.`, { isRefusal: true })
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
