import { describeError } from './describe-error.ts'

/**
 * Members with content from a caller, personal data or credentials. Log lines contain ids only. A member with one of
 * these names is withheld whatever it contains, so that a mistake cannot leak it.
 */
export const withheldNames: ReadonlySet<string> = new Set([
  ...['req', 'request', 'res', 'reply', 'body', 'headers', 'query', 'params', 'url', 'target'],
  ...['authorization', 'authenticationHeader', 'cookie', 'set-cookie', 'x-api-key', 'id-token'],
  ...['apiKey', 'newApiKey', 'password', 'newPassword', 'verifyCode', 'token', 'secret'],
  ...['clientSecret', 'secretAccessKey', 'privateKey', 'userName', 'email'],
  ...['recipientName', 'firstNames', 'lastName', 'dateOfBirth'],
  ...['drivingLicenceNumber', 'registrationNumber', 'postcode', 'unstructuredAddress'],
  ...['address', 'printableAddress', 'submittedAddress', 'addressOverride', 'addressee'],
  ...['standardParams', 'customParams', 'callbackParams', 'handlingInstruction'],
])

export const withheld = '[withheld]'

/** A line itself is the first level. */
const levelsMax = 4

/**
 * Returns the fields of a line without what must be withheld in the objects and lists within them. What is deeper than
 * four levels is withheld whole. A line without objects is returned as it is. The library's own redaction takes 0.7 ms
 * for each line with these names, and does not enter lists.
 */
export function withholdNested(fields: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(fields)
  if (!values.some(([, value]) => isEntered(value))) return fields
  return Object.fromEntries(
    values.map(([name, value]) => [name, isEntered(value) ? withhold(value, 2) : value]),
  )
}

function withhold(value: unknown, level: number): unknown {
  if (value instanceof Error) return describeError(value)
  if (!isEntered(value)) return value
  if (level > levelsMax) return withheld
  // A list is no level of its own.
  if (Array.isArray(value)) return value.map((item) => withhold(item, level))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      withheldNames.has(name) ? withheld : withhold(member, level + 1),
    ]),
  )
}

/** Errors have a serializer, and values such as dates write themselves. */
function isEntered(value: unknown): value is object {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Error) && !('toJSON' in value)
  )
}
