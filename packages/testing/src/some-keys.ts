import { deriveKeys } from '@despatch/config/service-keys'

/** The key of each purpose. They differ, so what is sealed or hashed with the key of another purpose is noticed. */
export const someKeys = deriveKeys('ab'.repeat(32))
