import { expect } from 'vitest'
import type { Call } from './a-caller.ts'

/** Returns a function that calls, and returns the text of the answer, which must have this status. */
export function expectStatus(call: Call) {
  return async (status: number, ...[method, path, ...rest]: Parameters<Call>): Promise<string> => {
    const { text, ...answer } = await call(method, path, ...rest)
    expect({ path, status: answer.status, text }).toMatchObject({ path, status })
    return text
  }
}
