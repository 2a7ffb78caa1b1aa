/** `address-editor` is given beside `operator`: alone it opens nothing. */
export const roles = ['consumer', 'provider', 'operator', 'address-editor', 'admin'] as const
export type Role = (typeof roles)[number]

/** Who makes a request, once the token and the API key have been checked. */
export type Caller = {
  consumerId: string
  /** SHA-256 of the API key, by which usage is counted. */
  apiKeyHash: Buffer
  roles: readonly Role[]
  providerId?: string
  /** What limits its use of a service. */
  usagePlan?: string
}
