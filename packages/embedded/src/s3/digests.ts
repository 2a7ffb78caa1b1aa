import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { S3Error } from './s3-error.ts'

/** A digest that a sender gives for its body. */
export type Digest = {
  algorithm: 'md5' | 'sha1' | 'sha256' | 'crc32'
  /** In hexadecimal. */
  expected: string
  code: 'BadDigest' | 'XAmzContentSHA256Mismatch'
}

/** Computes the given digests of a body. `check` throws S3Error if one of them differs. */
export function startDigests(digests: readonly Digest[]) {
  const running = digests.map((digest) => ({ ...digest, hash: startHash(digest.algorithm) }))
  return {
    update(chunk: Uint8Array): void {
      for (const { hash } of running) hash.update(chunk)
    },
    check(): void {
      const wrong = running.find(({ hash, expected }) => hash.digest() !== expected)
      if (!wrong) return
      throw new S3Error(wrong.code, `The body does not have the given ${wrong.algorithm} digest`)
    },
  }
}

function startHash(algorithm: Digest['algorithm']) {
  if (algorithm !== 'crc32') {
    const hash = createHash(algorithm)
    return {
      update: (chunk: Uint8Array) => void hash.update(chunk),
      digest: () => hash.digest('hex'),
    }
  }
  let value = 0
  return {
    update: (chunk: Uint8Array) => {
      value = crc32(chunk, value)
    },
    digest: () => value.toString(16).padStart(8, '0'),
  }
}
