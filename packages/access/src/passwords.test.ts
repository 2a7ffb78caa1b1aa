import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

const password = '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~ aA1é😀'

test('knows a password again by its argon2id hash, and no other', async () => {
  const passwordHash = await hashPassword(password)

  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(passwordHash, password)).toBe(true)
  expect(await verifyPassword(passwordHash, `${password} `)).toBe(false)
  expect(await verifyPassword(passwordHash, '')).toBe(false)
})
