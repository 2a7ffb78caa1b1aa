/** `address-editor` is granted in addition to `operator`. Alone it grants no access. */
export const roles = ['consumer', 'provider', 'operator', 'address-editor', 'admin'] as const
export type Role = (typeof roles)[number]

/** The services that a consumer may be allowed to use, by the names of their path prefixes. */
export const serviceNames = [
  'print-request',
  'vehicle-enquiry',
  'full-driver-enquiry',
  'driver-find',
] as const

/** The caller of a request, after the token and the API key have been checked. */
export type Caller = {
  consumerId: string
  /** SHA-256 of the API key; usage is counted per key. */
  apiKeyHash: Buffer
  roles: readonly Role[]
  providerId?: string
  /** The usage plan that limits its requests. */
  usagePlan?: string
}
