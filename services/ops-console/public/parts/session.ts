import type { SessionResponse } from '@despatch/contracts/administration/session'
import {
  type OperationWithRoles,
  operationRoles,
  whyNotPermitted,
} from '@despatch/domain/access/operation-roles'
import { signal } from '@preact/signals'
import { ask } from './api.ts'

/** The signed-in user. Absent until the session has been read, and if it cannot be read. */
export const session = signal<SessionResponse | undefined>()

/** Reads who is signed in. Without a session, the page goes to the sign-in page. */
export async function readSession(): Promise<SessionResponse> {
  session.value = await ask<SessionResponse>('GET', '/sessions')
  return session.value
}

/** Returns why the signed-in user may not use an operation; null if it may, or if nothing is known about the user. */
export function whyNotForMe(operationId: OperationWithRoles): string | null {
  return session.value ? whyNotPermitted(operationRoles[operationId], session.value) : null
}
