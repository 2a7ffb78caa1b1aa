import { parseJson, repeatedMember } from '@despatch/domain/json/parse-json'
import { renderPath } from '@despatch/domain/json/path'
import type { FieldFault } from '@despatch/domain/problem'
import type { z } from 'zod'
import { fieldFaults } from '../field-faults.ts'

/** Allows a row with a photograph of the maximum size. */
export const rowBytesMax = 128 * 1024
const reasonsMax = 10
/** The size of a row limits the number of its values. */
export const rowJsonLimits = { depthMax: 32, valuesMax: rowBytesMax }

export type ParsedRow<Row> = { kind: 'row'; row: Row } | { kind: 'rejected'; reasons: string[] }

/**
 * Parses one line of an import. A rejected row has at most ten reasons. Each begins with the path of a member as
 * written in the source; none repeats a value.
 */
export function parseRow<Row>(line: Uint8Array, schema: z.ZodType<Row>): ParsedRow<Row> {
  if (line.length > rowBytesMax) return rejected([`row must be at most ${rowBytesMax} bytes`])
  const parsed = parseJson(line, rowJsonLimits)
  switch (parsed.kind) {
    case 'not-utf8':
      return rejected(['row must be UTF-8'])
    case 'not-json':
      return rejected(['row must be JSON'])
    case 'exceeded':
      return rejected([`row must be nested at most ${rowJsonLimits.depthMax} deep`])
    case 'repeated':
      return rejected([repeatedMember(renderPath(parsed.path.map(shownStep)))])
  }
  const { value } = parsed
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return rejected(['row must be an object'])
  }
  const result = schema.safeParse(value)
  if (result.success) return { kind: 'row', row: result.data }
  return rejected(reasonsOf(result.error.issues, value))
}

function rejected<Row>(reasons: string[]): ParsedRow<Row> {
  if (reasons.length <= reasonsMax) return { kind: 'rejected', reasons }
  const more = `and ${reasons.length - reasonsMax} more`
  return { kind: 'rejected', reasons: [...reasons.slice(0, reasonsMax), more] }
}

function reasonsOf(issues: readonly z.core.$ZodIssue[], value: unknown): string[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return fieldFaults([issue], value).map(detailOf)
    return issue.keys.map(
      (key) => `${renderPath([...issue.path, shownStep(key)])} is not known: is it misspelt?`,
    )
  })
}

function detailOf({ detail }: FieldFault): string {
  return detail
}

// A member may be named after its content, such as a number. Then the name is a value, so it is shown only if it is a
// word.
function shownStep(step: string | number): string | number {
  return typeof step === 'number' || /^[A-Za-z]{1,40}$/.test(step) ? step : '…'
}
