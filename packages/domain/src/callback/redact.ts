const secretBytesMin = 4
const mask = '********'

/**
 * Returns the part of a consumer's answer that is stored: the answer without the credentials that the call was made
 * with. Finds credentials as they are, escaped as in JSON, encoded as in a URL, or cut off at the end of the answer. In
 * credentials with a scheme ("Bearer …"), the part after the scheme is a secret of its own. Secrets of fewer than 4
 * bytes stay: they would match everywhere. The mask may be longer than the secret.
 */
export function redactAnswer(answer: Uint8Array, secrets: readonly string[]): Uint8Array {
  const spelt = new Set(secrets.flatMap(withoutScheme).flatMap(spellings).map(oneCharAByte))
  const found = [...spelt]
    .filter((secret) => secret.length >= secretBytesMin)
    // Longest first, because one secret may be part of another.
    .sort((one, other) => other.length - one.length)
  const text = Buffer.from(answer).toString('latin1')
  const redacted = found.reduce((kept, secret) => kept.replaceAll(secret, mask), text)
  return new Uint8Array(Buffer.from(found.reduce(redactEnd, redacted), 'latin1'))
}

/** The last of them is a single character, and so no secret, if there is no scheme. */
function withoutScheme(secret: string): string[] {
  return [secret, secret.slice(secret.search(/\s/)).trim()]
}

function spellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, json.replaceAll('/', '\\/'), encodeURIComponent(secret.toWellFormed())]
}

function redactEnd(text: string, secret: string): string {
  const lengths = Array.from(secret, (_, index) => index)
  const cutOff = lengths.findLast(
    (length) => length >= secretBytesMin && text.endsWith(secret.slice(0, length)),
  )
  return cutOff ? text.slice(0, -cutOff) + mask : text
}

// The encoding of an answer is unknown. With one character per byte, texts are compared byte by byte.
function oneCharAByte(text: string): string {
  return Buffer.from(text).toString('latin1')
}
