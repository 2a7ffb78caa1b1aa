/** Spec: no spaces or non-alphanumeric characters. No plate has more than 8 characters. ASCII alone, in either case. */
export const registrationNumberPattern = /^[A-Za-z0-9]{1,8}$/

/** The number in the one form under which a vehicle is kept, or undefined when it cannot be one. */
export function normaliseRegistrationNumber(text: string): string | undefined {
  return registrationNumberPattern.test(text) ? text.toUpperCase() : undefined
}
