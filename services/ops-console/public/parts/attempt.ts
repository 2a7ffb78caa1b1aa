import { messageOf } from './api.ts'
import { announce } from './notice.ts'

/** Runs an action, and shows an error as a message. Returns whether the action succeeded. */
export async function attempt(action: () => unknown): Promise<boolean> {
  try {
    await action()
    return true
  } catch (error) {
    announce(messageOf(error), { isRefusal: true })
    return false
  }
}
