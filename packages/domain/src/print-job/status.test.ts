import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isFinal,
  type PrintJobStatus,
  printJobStatuses,
  statusAfter,
  type Transition,
  transitions,
} from './status.ts'

const anyTransition = fc.constantFrom(...(Object.keys(transitions) as Transition[]))

/** Applies the transitions from the start, skipping those that are not allowed. */
function walk(steps: readonly Transition[]): PrintJobStatus[] {
  const path: PrintJobStatus[] = ['QUARANTINE']
  for (const step of steps) {
    const next = statusAfter(path.at(-1)!, step)
    if (next) path.push(next)
  }
  return path
}

test('a letter without problems passes all statuses in order', () => {
  expect(walk(['release', 'accept', 'produce', 'despatch'])).toEqual([
    'QUARANTINE',
    'VALIDATING',
    'PENDING',
    'PRODUCTION',
    'DESPATCHED',
  ])
})

test('only DESPATCHED and REJECTED are final', () => {
  expect(printJobStatuses.filter(isFinal)).toEqual(['DESPATCHED', 'REJECTED'])
})

test('in any sequence of transitions no status is repeated, and none follows a final status', () => {
  fc.assert(
    fc.property(fc.array(anyTransition, { maxLength: 30 }), (steps) => {
      const path = walk(steps)
      expect(new Set(path).size).toBe(path.length)
      expect(path.slice(0, -1).some(isFinal)).toBe(false)
    }),
  )
})

test('in any sequence of transitions a letter is despatched only from PRODUCTION and never after a refusal', () => {
  fc.assert(
    fc.property(fc.array(anyTransition, { maxLength: 30 }), (steps) => {
      const path = walk(steps)
      if (path.includes('DESPATCHED')) {
        expect(path.at(-2)).toBe('PRODUCTION')
        expect(path).not.toContain('REJECTED')
      }
    }),
  )
})

test('every status that is not final can be rejected', () => {
  for (const status of printJobStatuses.filter((candidate) => !isFinal(candidate))) {
    expect(statusAfter(status, 'reject')).toBe('REJECTED')
  }
})
