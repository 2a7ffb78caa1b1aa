/** The target of callbacks and its credentials. Both are secrets of the consumer. */
export type CallbackDestination = {
  /** Byte for byte as submitted by the consumer. */
  target: string
  /** Sent unchanged as the Authorization header. */
  authenticationHeader?: string
}

/** The purpose for which a destination is sealed. Sealing and opening must name the same purpose. */
export const callbackDestinationPurpose = 'callback destination'

/** Returns the text to seal. */
export function writeDestination({ target, authenticationHeader }: CallbackDestination): string {
  return JSON.stringify([target, ...(authenticationHeader ? [authenticationHeader] : [])])
}

/** Reads what `writeDestination` wrote. */
export function readDestination(text: string): CallbackDestination {
  const [target, authenticationHeader]: [string, string?] = JSON.parse(text)
  return { target, ...(authenticationHeader !== undefined && { authenticationHeader }) }
}

/** The purpose for which signing secrets of callbacks are sealed. */
export const callbackSecretPurpose = 'callback signing secret'
