// @ts-check
// Plain JavaScript, because the secrets of containers are made before anything is installed.
import { createHash, hkdfSync } from 'node:crypto'

/**
 * The keys that are derived from the root, by the setting that holds each. Every service has only its own. A key that
 * `seals` can be changed while services run: its setting with the suffix `_PREVIOUS` has the keys that sealed earlier
 * values. `info` tells the keys of one root apart (RFC 5869). New keys are added at the end.
 */
export const serviceKeys = /** @type {const} */ ({
  DESPATCH_KEY_SIGNING: {
    protects: 'the private halves of the keys that sign JWTs',
    services: ['administration', 'thirdparty-access'],
    seals: true,
    info: 'private halves of signing keys',
  },
  DESPATCH_KEY_CALLBACKS: {
    protects: 'callback targets, the credentials for them, and callback secrets',
    services: ['administration', 'callbacks', 'print-request'],
    seals: true,
    info: 'callback targets and secrets',
  },
  DESPATCH_KEY_SEARCH: {
    protects: 'the key of search terms and cursors of lists, and hashes filters of bulk actions',
    services: ['administration', 'print-request'],
    seals: true,
    info: 'search of letters',
  },
  DESPATCH_KEY_CONSOLE: {
    protects: 'console sessions, and sign-ins by the OpenID provider that are under way',
    services: ['administration', 'ops-console'],
    seals: true,
    info: 'console sessions',
  },
  DESPATCH_KEY_SIGN_IN: {
    protects: 'user names and addresses in the counts of wrong passwords, and recovery codes',
    services: ['administration', 'thirdparty-access'],
    seals: false,
    info: 'sign-in',
  },
  DESPATCH_KEY_ENQUIRIES: {
    protects: 'numbers in the audit of enquiries',
    services: ['administration', 'driver-find', 'full-driver-enquiry', 'vehicle-enquiry'],
    seals: false,
    // Releases without keys by service hashed numbers with this key, so their enquiries are still found.
    info: 'enquiry-number',
  },
})

/** @typedef {keyof typeof serviceKeys} KeySetting */

/**
 * @param {string} name
 * @returns {name is KeySetting}
 */
export function isKeySetting(name) {
  return Object.hasOwn(serviceKeys, name)
}

/**
 * Returns the names of the settings of all keys, or of those of one service, with those of previous keys.
 * @param {string} [service]
 */
export function keySettingNames(service) {
  return Object.entries(serviceKeys).flatMap(([name, { seals, services }]) => {
    const isOwn = service === undefined || services.some((each) => each === service)
    if (!isOwn) return []
    return seals ? [name, `${name}_PREVIOUS`] : [name]
  })
}

/**
 * Derives the key of each setting from a root of 64 hexadecimal characters, with HKDF-SHA-256 without a salt (RFC
 * 5869). Keys that seal have other ids than the root and each other, so one process can use all of them.
 * @param {string} rootHex
 * @returns {Record<KeySetting, string>}
 */
export function deriveKeys(rootHex) {
  const ids = new Set([keyIdOf(rootHex)])
  const keys = Object.entries(serviceKeys).map(([setting, { info, seals }]) => {
    let key = expand(rootHex, info)
    for (let attempt = 2; seals && ids.has(keyIdOf(key)); attempt++) {
      key = expand(rootHex, `${info} ${attempt}`)
    }
    if (seals) ids.add(keyIdOf(key))
    return [setting, key]
  })
  return Object.fromEntries(keys)
}

/**
 * Returns the number from 0 to 255 by which a sealed value names its key. It is derived from the key, so no list of ids
 * has to be stored.
 * @param {string} keyHex
 */
export function keyIdOf(keyHex) {
  return createHash('sha256').update(keyHex, 'hex').digest().readUInt8(0)
}

/**
 * @param {string} rootHex
 * @param {string} info
 */
function expand(rootHex, info) {
  return Buffer.from(hkdfSync('sha256', Buffer.from(rootHex, 'hex'), '', info, 32)).toString('hex')
}
