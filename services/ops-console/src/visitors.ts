import type { IncomingHttpHeaders } from 'node:http'
import type { ConsoleSessions } from '@despatch/access/console-session'
import { Problem } from '@despatch/domain/problem'

/** Whether somebody who may operate has signed in. 'unknown': the database does not say. */
export type Visitor = 'operator' | 'stranger' | 'unknown'

/** Tells an operator from a stranger by the session of the console. */
export function visitorsBy({ find }: Pick<ConsoleSessions, 'find'>, onError: (e: Error) => void) {
  return async (headers: IncomingHttpHeaders): Promise<Visitor> => {
    try {
      const { roles } = (await find(headers)).caller
      return roles.includes('operator') || roles.includes('admin') ? 'operator' : 'stranger'
    } catch (error) {
      if (error instanceof Problem) return 'stranger'
      onError(error as Error)
      return 'unknown'
    }
  }
}
