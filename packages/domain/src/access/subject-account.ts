/** Where a UUID has its version. */
const versionIndex = 14

/**
 * Returns whether the account is that of a person whom an OpenID provider authenticates. Its id is a UUID of version 8;
 * local accounts have random ids, which are of version 4.
 */
export function isSubjectAccount(accountId: string | undefined): boolean {
  return accountId?.[versionIndex] === '8'
}
