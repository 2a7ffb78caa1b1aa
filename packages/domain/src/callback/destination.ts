/** Where callbacks go and with which credentials: both are secrets of the consumer. */
export type CallbackDestination = {
  /** Byte for byte as the consumer gave it. */
  target: string
  /** Sent whole as the Authorization header. */
  authenticationHeader?: string
}

/** What a destination is sealed for at rest: who seals it and who opens it name the same purpose. */
export const callbackDestinationPurpose = 'callback destination'

/** The text that is sealed. */
export function writeDestination({ target, authenticationHeader }: CallbackDestination): string {
  return JSON.stringify([target, ...(authenticationHeader ? [authenticationHeader] : [])])
}

/** Reads what `writeDestination` wrote. */
export function readDestination(text: string): CallbackDestination {
  const [target, authenticationHeader]: [string, string?] = JSON.parse(text)
  return { target, ...(authenticationHeader !== undefined && { authenticationHeader }) }
}
