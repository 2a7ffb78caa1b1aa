import { Refusal } from './api.ts'
import { announce } from './notice.ts'

/** Runs an action, and shows a Refusal as a message. Returns whether the action succeeded. */
export async function attempt(action: () => unknown): Promise<boolean> {
  try {
    await action()
    return true
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    announce(refusal.message, { isRefusal: true })
    return false
  }
}
