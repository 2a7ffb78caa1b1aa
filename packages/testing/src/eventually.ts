import { setTimeout as pause } from 'node:timers/promises'

type Options = {
  /** How long to wait, in milliseconds. */
  deadlineMs?: number
  /** The awaited condition, as a statement: 'the callback is delivered'. */
  message: string
  /**
   * The pause between two calls of `ask`, in milliseconds. Use a longer one if each call counts against a usage plan.
   */
  pollMs?: number
}

/** Only a test that fails waits this long, or one on a machine so busy that everything takes many times longer. */
const deadlineMsDefault = 60_000

/**
 * Calls `ask` repeatedly until it returns something other than undefined, null or false, and does not throw. Returns
 * that. Throws after the deadline, with the message and the last error or answer.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  { deadlineMs = deadlineMsDefault, message, pollMs = 20 }: Options,
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const outcome = await attempt(ask)
    if ('value' in outcome && isSomething(outcome.value)) return outcome.value
    if (performance.now() >= deadline) {
      const last = 'value' in outcome ? `last answer: ${outcome.value}` : `${outcome.error}`
      throw new Error(`Not within ${deadlineMs} ms: ${message} (${last})`, {
        cause: 'error' in outcome ? outcome.error : undefined,
      })
    }
    await pause(pollMs)
  }
}

async function attempt<T>(ask: () => T | Promise<T>): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await ask() }
  } catch (error) {
    return { error }
  }
}

function isSomething<T>(value: T): value is Exclude<T, undefined | null | false> {
  return value !== undefined && value !== null && value !== false
}
