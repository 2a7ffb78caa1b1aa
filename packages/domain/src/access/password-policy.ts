export const passwordCharactersMin = 8
export const passwordCharactersMax = 128

type Rule = { rule: string; code: string; isKept: (password: string) => boolean }

/**
 * These rules match a real consumer's password generator: 30 characters from an alphabet with all 32 ASCII punctuation
 * marks must pass. A space is allowed, and counts as none of the four kinds.
 */
const rules: readonly Rule[] = [
  {
    rule: `must have ${passwordCharactersMin} to ${passwordCharactersMax} characters`,
    code: 'Size',
    isKept: ({ length }) => length >= passwordCharactersMin && length <= passwordCharactersMax,
  },
  {
    rule: 'must consist of printable ASCII characters',
    code: 'Pattern',
    isKept: (password) => /^[\x20-\x7e]*$/.test(password),
  },
  { rule: 'must have a lower-case letter', code: 'Pattern', isKept: (text) => /[a-z]/.test(text) },
  { rule: 'must have an upper-case letter', code: 'Pattern', isKept: (text) => /[A-Z]/.test(text) },
  { rule: 'must have a digit', code: 'Pattern', isKept: (text) => /[0-9]/.test(text) },
  {
    rule: 'must have a special character',
    code: 'Pattern',
    isKept: (text) => /[!-/:-@[-`{-~]/.test(text),
  },
]

/** A rule that a new password breaks, worded to follow the field's name. */
export type PasswordFault = { rule: string; code: string }

/** Returns the rules that a new password breaks; empty if it is acceptable. */
export function findPasswordFaults(password: string): PasswordFault[] {
  return rules.filter(({ isKept }) => !isKept(password)).map(({ rule, code }) => ({ rule, code }))
}

/** For a new password that equals the current one. */
export const sameAsCurrentFault: PasswordFault = {
  rule: 'must not be the current password',
  code: 'Pattern',
}
