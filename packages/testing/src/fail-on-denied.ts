// A setup file of the component tests. Each service signs in with its own role, so that a missing privilege fails the
// test of the operation that needs it, even where the service only logs the refusal.
import { afterAll, expect } from 'vitest'
import { takeDenied } from './denied-statements.ts'

takeDenied()
afterAll(() => {
  expect(takeDenied(), 'statements that the role of a service may not execute').toEqual([])
})
