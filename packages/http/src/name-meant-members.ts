import { invalidFields, type Problem } from '@despatch/domain/problem'
import type { FastifyRequest } from 'fastify'

/**
 * Says for each missing member of the body by which unknown member it was probably meant. The name is the caller's, so
 * it is in the detail, which is not logged.
 */
export function nameMeantMembers(
  problem: Problem,
  { unknownMembers, suggestMember }: Pick<FastifyRequest, 'unknownMembers' | 'suggestMember'>,
): Problem {
  const paths = unknownMembers?.paths ?? []
  if (problem.kind !== 'invalid-field' || !suggestMember || paths.length === 0) return problem
  const givenBy = new Map<string, string>()
  for (const path of paths) {
    const meant = suggestMember(path)
    if (meant !== undefined) givenBy.set(path.slice(0, path.lastIndexOf('.') + 1) + meant, path)
  }
  const faults = problem.faults.map((fault) => {
    const given = fault.code === 'NotNull' ? givenBy.get(fault.field) : undefined
    if (given === undefined) return fault
    const name = fault.field.slice(fault.field.lastIndexOf('.') + 1)
    return { ...fault, detail: `${fault.detail}. ${given} is not known. Did you mean ${name}?` }
  })
  return invalidFields(faults)
}
