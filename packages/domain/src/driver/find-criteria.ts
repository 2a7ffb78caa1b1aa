export const findCriteriaMin = 3

/** What a driver can be searched by. */
export type FindCriteria = {
  firstNames?: unknown
  lastName?: unknown
  fullName?: unknown
  dateOfBirth?: unknown
  postcode?: unknown
  gender?: unknown
}

/**
 * How many criteria a search has. Spec: a request must carry any 3. A full name stands for first names and last name,
 * so it counts as both, and adds nothing to one that is given beside it.
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
