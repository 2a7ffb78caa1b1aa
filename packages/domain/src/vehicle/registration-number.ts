/**
 * Spec: no spaces or non-alphanumeric characters. No number plate has more than 8 characters. Letters are ASCII, in
 * either case.
 */
export const registrationNumberPattern = /^[A-Za-z0-9]{1,8}$/

/** Returns the number in the form under which vehicles are stored; undefined if it cannot be a number. */
export function normaliseRegistrationNumber(text: string): string | undefined {
  return registrationNumberPattern.test(text) ? text.toUpperCase() : undefined
}
