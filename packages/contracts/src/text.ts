import { hasDotSegment } from '@despatch/domain/dot-segment'
import { z } from 'zod'
import { notAbove, notBelow, notEmpty, typeMismatch } from './field-faults.ts'

type TextRules = {
  /** Minimum and maximum number of Unicode code points: an emoji counts as one. */
  min?: number
  max?: number
  pattern?: RegExp
}

/**
 * Schema of a string that can be stored and printed: no NUL character (PostgreSQL cannot hold one) and no unpaired
 * surrogate. Lengths count code points, where zod's own `max` counts UTF-16 units. Reports at most one violation, so an
 * empty string is not also reported as of the wrong pattern.
 */
export function text({ min = 0, max = Number.POSITIVE_INFINITY, pattern }: TextRules = {}) {
  const size = sizeFault(min, max)
  const shape = pattern && { code: 'Pattern', message: `must match "${pattern.source}"` }

  return z
    .string()
    .check(({ value, issues }) => {
      const fault = !isStorable(value)
        ? notStorable
        : !isWithin(value, min, max)
          ? value === '' && min === 1
            ? notEmpty
            : size
          : pattern && !pattern.test(value)
            ? shape
            : undefined
      if (fault) issues.push(customIssue(fault, value))
    })
    .meta({
      ...(min > 0 && { minLength: min }),
      ...(max < Number.POSITIVE_INFINITY && { maxLength: max }),
      ...(pattern && { pattern: pattern.source }),
    })
}

/** Schema of a text that is also a segment of paths, percent-encoded. */
export function pathSegment(rules: TextRules) {
  return text(rules).check(({ value, issues }) => {
    if (issues.length > 0 || !hasDotSegment(value)) return
    issues.push(
      customIssue(
        { code: 'Pattern', message: 'must not be . or .., alone or beside a slash' },
        value,
      ),
    )
  })
}

/** Schema of an integer between two bounds, both inclusive. */
export function integer({ min, max }: { min: number; max: number }) {
  return z
    .number()
    .check(({ value, issues }) => {
      const fault = !Number.isInteger(value)
        ? typeMismatch('integer')
        : value < min
          ? notBelow(min)
          : value > max
            ? notAbove(max)
            : undefined
      if (fault) issues.push(customIssue(fault, value))
    })
    .meta({ type: 'integer', minimum: min, maximum: max })
}

/** Returns a violation as an issue that `fieldFaults` reads back. Later checks still run. */
export function customIssue({ code, message }: { code: string; message: string }, input: unknown) {
  return { code: 'custom' as const, params: { code }, message, input, continue: true }
}

const notStorable = {
  code: 'Pattern',
  message: 'must not contain NUL characters or unpaired surrogates',
}

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0')
}

// The UTF-16 length alone decides for most strings: one to two units for each code point.
function isWithin(value: string, min: number, max: number): boolean {
  const units = value.length
  if (units <= max && units >= min * 2) return true
  if (units < min || units > max * 2) return false
  const points = countCodePoints(value)
  return points >= min && points <= max
}

function countCodePoints(value: string): number {
  let points = 0
  for (const _ of value) points += 1
  return points
}

function sizeFault(min: number, max: number) {
  const message =
    min === max
      ? `size must be ${min}`
      : max < Number.POSITIVE_INFINITY
        ? `size must be between ${min} and ${max}`
        : `size must be at least ${min}`
  return { code: 'Size', message }
}
