import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { keyIdOf } from '@despatch/config/service-keys'
import { randomDraw } from './random-draw.ts'

/**
 * Encrypts secrets for storage. A sealed value is one byte that identifies the key, a nonce of 12 bytes, a tag of
 * 16 bytes, then the content.
 */
export type SealedBox = {
  /** The first byte of each value that this box seals. */
  keyId: number
  seal(text: string): Buffer
  /** Throws if no key matches, the value was altered, or it was sealed for another purpose. */
  unseal(sealed: Uint8Array): string
}

type SealedBoxOptions = {
  /** Keys that sealed earlier values, so that the key can be changed. */
  previousKeysHex?: readonly string[]
  /** A value that was sealed for one purpose cannot be unsealed for another, even if it is moved. */
  purpose?: string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const headerBytes = 1 + nonceBytes + tagBytes
const drawNonce = randomDraw(nonceBytes)

/** Returns a box that seals with a key of 64 hexadecimal characters. */
export function sealedBox(
  secretKeyHex: string,
  { previousKeysHex = [], purpose = 'credential' }: SealedBoxOptions = {},
): SealedBox {
  const current = parseKey(secretKeyHex)
  const keys = new Map([...previousKeysHex.map(parseKey), current].map((key) => [key.id, key]))
  if (keys.size !== previousKeysHex.length + 1) {
    throw new Error('Two secret keys have the same id: create another one')
  }
  const bound = Buffer.from(purpose)

  return {
    keyId: current.id,

    seal(text) {
      const nonce = drawNonce()
      const cipher = createCipheriv(algorithm, current.key, nonce).setAAD(bound)
      const closed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(current.id), nonce, cipher.getAuthTag(), closed])
    },

    unseal(sealed) {
      const key = keys.get(sealed[0] ?? -1)
      if (!key || sealed.length < headerBytes) {
        throw new Error(`The ${purpose} was sealed with another secret key`)
      }
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key.key, nonce, { authTagLength: tagBytes })
      decipher.setAAD(bound).setAuthTag(sealed.subarray(1 + nonceBytes, headerBytes))
      try {
        const open = [decipher.update(sealed.subarray(headerBytes)), decipher.final()]
        return Buffer.concat(open).toString()
      } catch (cause) {
        throw new Error(`The ${purpose} cannot be unsealed: altered, or another secret key`, {
          cause,
        })
      }
    },
  }
}

/** A key that seals, and those that it replaced. */
export type SealingKeys = { secretKeyHex: string; previousKeysHex: readonly string[] }

/** Returns a function that returns the box of a purpose. */
export function sealedBoxesOf({
  secretKeyHex,
  previousKeysHex,
}: SealingKeys): (purpose: string) => SealedBox {
  return (purpose) => sealedBox(secretKeyHex, { previousKeysHex, purpose })
}

function parseKey(hex: string): { id: number; key: KeyObject } {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('A secret key is 64 hexadecimal characters')
  return { id: keyIdOf(hex), key: createSecretKey(Buffer.from(hex, 'hex')) }
}
