import { z } from 'zod'
import { documentId } from '../print-fulfilment/answers.ts'
import { customIssue, integer } from '../text.ts'

/** The members with which an operator names documents of a print run, or chooses all of a kind. */
export function documentChoice({ documentsMax, all }: { documentsMax: number; all: string }) {
  return {
    documentIds: z
      .array(documentId)
      .min(1)
      .max(documentsMax)
      .exactOptional()
      .describe('The documents. Leave out if all is true'),
    all: confirmed('must be true, or left out with documentIds').describe(all),
  }
}

/** The count that the caller has seen and agreed to. More than that is refused. */
export const agreedCount = integer({ min: 0, max: 1_000_000_000 })

/** A choice that the caller must make with `true`. Leaving another member out is not enough. */
export function confirmed(message: string) {
  return z.literal(true, message).exactOptional()
}

/** For the `check` of a request: requires exactly one of the two members, so that an empty list never means all. */
export function requireOneOf<List extends string, All extends string>(list: List, all: All) {
  return ({ value, issues }: z.core.ParsePayload<{ [Name in List | All]?: unknown }>) => {
    if ((value[list] === undefined) !== (value[all] === undefined)) return
    const message = `must be given unless ${all} is true, and not with it`
    issues.push({ ...customIssue({ code: 'NotNull', message }, value), path: [list] })
  }
}
