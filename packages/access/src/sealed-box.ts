import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'

/** Keeps secrets at rest. A sealed value is one byte that tells its key, 12 of nonce, 16 of tag, then the content. */
export type SealedBox = {
  /** `purpose` is bound in: a value sealed for one purpose does not open for another. */
  seal(content: Buffer, purpose: string): Buffer
  unseal(sealed: Buffer, purpose: string): Buffer
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const headerBytes = 1 + nonceBytes + tagBytes

/**
 * Seals with the current key (64 hexadecimal characters: DESPATCH_SECRET_KEY); opens what it or a previous key sealed,
 * so that keys can be changed. `unseal` throws when no key fits or the value was altered.
 */
export function createSealedBox(
  currentKeyHex: string,
  previousKeysHex: readonly string[] = [],
): SealedBox {
  const current = parseKey(currentKeyHex)
  const keys = new Map([...previousKeysHex.map(parseKey), current].map((key) => [key.id, key]))
  if (keys.size !== previousKeysHex.length + 1) {
    throw new Error('Two secret keys have the same id: make another one')
  }

  return {
    seal(content, purpose) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, current.bytes, nonce)
      cipher.setAAD(Buffer.from(purpose))
      const closed = Buffer.concat([cipher.update(content), cipher.final()])
      return Buffer.concat([Buffer.of(current.id), nonce, cipher.getAuthTag(), closed])
    },

    unseal(sealed, purpose) {
      const key = keys.get(sealed[0] ?? -1)
      if (!key || sealed.length < headerBytes) {
        throw new Error(`The ${purpose} was sealed with another secret key`)
      }
      const nonce = sealed.subarray(1, 1 + nonceBytes)
      const decipher = createDecipheriv(algorithm, key.bytes, nonce, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(purpose))
      decipher.setAuthTag(sealed.subarray(1 + nonceBytes, headerBytes))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(headerBytes)), decipher.final()])
      } catch (cause) {
        throw new Error(`The ${purpose} cannot be unsealed: altered, or another secret key`, {
          cause,
        })
      }
    },
  }
}

// The id is made of the key itself, so that no list of ids has to be kept.
function parseKey(hex: string): { id: number; bytes: Buffer } {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('A secret key is 64 hexadecimal characters')
  const bytes = Buffer.from(hex, 'hex')
  return { id: hash('sha256', bytes, 'buffer').readUInt8(0), bytes }
}
