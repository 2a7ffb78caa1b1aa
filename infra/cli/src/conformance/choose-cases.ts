import { wrongUsage } from '../failure.ts'
import { allCases } from './all-cases.ts'
import type { ConformanceCase } from './conformance-case.ts'

/**
 * Returns the cases with these numbers in their own order, or all if none is named. Throws a Failure for an unknown
 * number.
 */
export function chooseCases(ids: readonly string[] | undefined): readonly ConformanceCase[] {
  const wanted = ids?.map((id) => id.toUpperCase())
  const unknown = wanted?.find((id) => !allCases.some((each) => each.id === id))
  if (unknown) {
    const known = `${allCases[0]?.id} to ${allCases.at(-1)?.id}`
    throw wrongUsage(`there is no case ${unknown}; the cases are ${known}`)
  }
  return allCases.filter(({ id }) => wanted === undefined || wanted.includes(id))
}
