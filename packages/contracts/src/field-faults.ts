import { renderOwnPath, renderPath } from '@despatch/domain/json/path'
import type { FieldFault } from '@despatch/domain/problem'
import type { z } from 'zod'

type Issue = z.core.$ZodIssue
/** More unknown names than this are not listed. */
const unknownNamesMax = 100

type Violation = { code: string; message: string }

/**
 * Describes what zod found in `input` in the words of Bean Validation, one violation for each issue. `field` is the
 * path as written on the wire (`customParams[1].key`), and `detail` begins with it. The order is that of the schema. If
 * one of several members must be chosen, what else is wrong inside is left out.
 */
export function fieldFaults(issues: readonly Issue[], input: unknown): FieldFault[] {
  const choices = issues.filter(isChoice)
  const isInside = ({ path }: Issue) =>
    choices.some((choice) => path.length > choice.path.length && startsWith(path, choice.path))
  return issues.flatMap((issue) => {
    // What is wrong inside is of no interest until one thing is chosen.
    if (isInside(issue)) return []
    if (issue.code === 'unrecognized_keys') return unknownNames(issue)
    const field = renderPath(issue.path)
    const { code, message } = describeIssue(issue, valueAt(input, issue.path))
    return { field, code, detail: `${field} ${message}` }
  })
}

/** Whether several things were given of which exactly one is allowed. */
function isChoice(issue: Issue): boolean {
  return issue.code === 'custom' && issue.params?.code === 'OneOf'
}

function startsWith(path: readonly PropertyKey[], start: readonly PropertyKey[]): boolean {
  return start.every((step, index) => path[index] === step)
}

function unknownNames({ path, keys }: z.core.$ZodIssueUnrecognizedKeys): FieldFault[] {
  return keys.slice(0, unknownNamesMax).map((key) => {
    // a query parameter may have brackets in its name
    const field = path.length === 0 ? key : renderOwnPath([...path, key])
    return { field, code: 'Unknown', detail: `${field} is unknown`, isNamedByCaller: true }
  })
}

/** Describes a valid value, because zod's message only says that the value is invalid. */
const formats: Readonly<Record<string, string>> = { uuid: 'must be a UUID' }

function describeIssue(issue: Issue, value: unknown): Violation {
  switch (issue.code) {
    case 'custom':
      return { code: String(issue.params?.code ?? 'Invalid'), message: issue.message }
    case 'invalid_type':
      if (value == null) return notNull
      // A schema that says more than its type has a message of its own.
      if (issue.message.startsWith('must ')) return { code: 'TypeMismatch', message: issue.message }
      return typeMismatch(issue.expected)
    case 'invalid_value':
      if (value == null) return notNull
      if (typeof value !== typeof issue.values[0]) return typeMismatch(typeof issue.values[0])
      return { code: 'InvalidFormat', message: `must be one of ${issue.values.join(', ')}` }
    case 'too_small':
      if (issue.origin === 'number') return notBelow(Number(issue.minimum))
      return issue.minimum === 1 ? notEmpty : { code: 'Size', message: issue.message }
    case 'too_big':
      if (issue.origin === 'number') return notAbove(Number(issue.maximum))
      return { code: 'Size', message: issue.message }
    case 'invalid_format':
      return { code: 'Pattern', message: formats[issue.format] ?? issue.message }
    default:
      return { code: 'Invalid', message: issue.message }
  }
}

const notNull: Violation = { code: 'NotNull', message: 'must not be null' }
export const notEmpty: Violation = { code: 'NotEmpty', message: 'must not be empty' }

export function notBelow(min: number): Violation {
  return { code: 'Min', message: `must be greater than or equal to ${min}` }
}

export function notAbove(max: number): Violation {
  return { code: 'Max', message: `must be less than or equal to ${max}` }
}

export function typeMismatch(expected: string): Violation {
  const article = /^[aeiou]/.test(expected) ? 'an' : 'a'
  return { code: 'TypeMismatch', message: `must be ${article} ${expected}` }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const step of path) {
    if (value === null || typeof value !== 'object') return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}
