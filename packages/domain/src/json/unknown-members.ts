/** How many unknown members of a request are named. Further ones are only counted. */
export const unknownPathsMax = 20

/**
 * The members of a request body that its schema does not name. They are ignored. A caller chose the names, so the paths
 * must not be logged.
 */
export type UnknownMembers = {
  /** Paths of the first ones, ready to be shown and stored. */
  paths: readonly string[]
  /** The number of all of them. */
  count: number
}
