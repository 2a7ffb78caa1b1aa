const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text of a path can be an id; the database would refuse to look for another. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
