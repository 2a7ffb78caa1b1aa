export const findCriteriaMin = 3

/** The criteria by which a driver can be searched. */
type FindCriteria = {
  firstNames?: unknown
  lastName?: unknown
  fullName?: unknown
  dateOfBirth?: unknown
  postcode?: unknown
  gender?: unknown
}

/**
 * Returns how many criteria a search has. Spec: a request must have any 3. A full name counts as first names and last
 * name, and adds nothing to one of them that is also given.
 */
export function countFindCriteria(criteria: FindCriteria): number {
  const { fullName } = criteria
  return [
    criteria.firstNames ?? fullName,
    criteria.lastName ?? fullName,
    criteria.dateOfBirth,
    criteria.postcode,
    criteria.gender,
  ].filter((criterion) => criterion !== undefined).length
}
