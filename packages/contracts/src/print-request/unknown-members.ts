import type { UnknownMembers } from '@despatch/domain/json/unknown-members'
import { unknownPathsMax } from '@despatch/domain/json/unknown-members'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { FieldFault } from '@despatch/domain/problem'
import { memberReader } from '../request-members.ts'
import { printJobRequestSchema } from './print-job-request.ts'

/** Unknown members as they are stored: their paths and, if there are more than 20, the number of further ones. */
export type StoredUnknownMembers = readonly string[]

/** Returns null if there are none. */
export function unknownMembersToStore({
  paths,
  count,
}: UnknownMembers): StoredUnknownMembers | null {
  if (count === 0) return null
  return count > paths.length ? [...paths, String(count - paths.length)] : paths
}

/** Returns a note for each unknown member of a print job, in the order of the request. */
export function unknownMemberFindings(members: StoredUnknownMembers | null): Finding[] {
  return describe(members).map(({ says }) => ({
    rule: 'unknown-member',
    severity: 'note',
    detail: `${says} Unknown members are ignored.`,
  }))
}

/** Returns the violations of a contract that refuses them, in the order of the request. */
export function unknownMemberFaults(members: StoredUnknownMembers | null): FieldFault[] {
  return describe(members).map(({ path, says }) => ({
    field: path,
    code: 'UnknownMember',
    detail: says,
    isNamedByCaller: true,
  }))
}

const { suggest } = memberReader(printJobRequestSchema)

function describe(members: StoredUnknownMembers | null): { path: string; says: string }[] {
  const [paths, further] = [members?.slice(0, unknownPathsMax) ?? [], members?.[unknownPathsMax]]
  const named = paths.map((path) => {
    const meant = suggest(path)
    return { path, says: `${path} is not known.${meant ? ` Did you mean ${meant}?` : ''}` }
  })
  if (further === undefined) return named
  const more = further === '1' ? '1 more member that is' : `${further} more members that are`
  return [...named, { path: 'body', says: `body has ${more} not known.` }]
}
