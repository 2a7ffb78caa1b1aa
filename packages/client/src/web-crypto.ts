export type WebCrypto = typeof globalThis.crypto

/** Node.js 18 has the Web Crypto API, but not as a global. */
export async function webCrypto(): Promise<WebCrypto> {
  return globalThis.crypto ?? ((await import('node:crypto')).webcrypto as WebCrypto)
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
