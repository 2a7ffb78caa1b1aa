/**
 * True for 1 to 255 visible ASCII characters. Other scripts have letters that look the same and are not, so that they are
 * refused when a consumer is made; a user name is then compared exactly, letter case included.
 */
export function isUserName(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text)
}

/** True for an e-mail address that can stand in a header as it is: ASCII, one @, nothing that separates addresses. */
export function isEmailAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d.-]*[a-z\d])?$/i.test(text)
  )
}

/** Letter case says nothing in practice, so that it must not keep a user from a recovery code. */
export function isSameEmailAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
