import { setTimeout as pause } from 'node:timers/promises'

const attemptsMax = 5
const pauseMs = 100
/** Another session has created the role, as an object or as a row, or has changed the same row of a catalog. */
const conflicts = ['42710', '23505', 'XX000']

/** Retries a change of roles or privileges if another session makes the same change at this moment. */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (attempt === attemptsMax || !conflicts.includes(code)) throw error
      await pause(pauseMs)
    }
  }
}
