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

test('computes a hundred that wait, and refuses more at once', async () => {
  const results = await Promise.allSettled(Array.from({ length: 150 }, () => hashPassword('a')))

  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(48)
  expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } })
  expect(await hashPassword('a')).toMatch(/^\$argon2id\$/)
})
