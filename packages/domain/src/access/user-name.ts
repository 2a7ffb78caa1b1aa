/**
 * Returns true for 1 to 255 visible ASCII characters. Other scripts have different letters that look the same, so they
 * are refused when a consumer is created. A user name is then compared exactly, including letter case.
 */
export function isUserName(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text)
}

/**
 * Returns true for an e-mail address that can be put into a header unchanged: ASCII, one @, and no character that
 * separates addresses.
 */
export function isEmailAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text)
  )
}

/** Compares without letter case, which has no meaning in practice and must not keep a user from a recovery code. */
export function isSameEmailAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
