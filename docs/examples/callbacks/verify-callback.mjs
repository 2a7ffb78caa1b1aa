import { createHmac, timingSafeEqual } from 'node:crypto'

const toleranceSeconds = 300

/**
 * True when one of the secrets has signed the message. `headers` is an object, as in Node.js; `body` is a Buffer with the
 * bytes as they came.
 */
export function isFromDespatch(headers, body, secrets, now = Math.floor(Date.now() / 1000)) {
  const id = headerOf(headers, 'webhook-id')
  const sentAt = headerOf(headers, 'webhook-timestamp')
  const given = headerOf(headers, 'webhook-signature').split(' ')
  if (id === '' || !/^\d{1,12}$/.test(sentAt)) return false
  if (Math.abs(now - Number(sentAt)) > toleranceSeconds) return false

  const expected = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    if (key.length === 0) throw new Error('a secret is empty')
    const hmac = createHmac('sha256', key).update(`${id}.${sentAt}.`).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  return expected.some((one) => given.some((other) => isEqual(one, other)))
}

/** The value of a header, whatever the case of its name. Empty if it is absent or has several. */
function headerOf(headers, name) {
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  )
  return values.length === 1 ? values[0] : ''
}

/** Takes as long for any two texts of one length: it does not tell how much of a guess was right. */
function isEqual(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
