import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

const password = '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~ aA1é😀'

test('the argon2id hash of a password verifies that password, and no other', async () => {
  const passwordHash = await hashPassword(password)

  expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(passwordHash, password)).toBe(true)
  expect(await verifyPassword(passwordHash, `${password} `)).toBe(false)
  expect(await verifyPassword(passwordHash, '')).toBe(false)
})

test('a check for one address does not wait for the many checks of an IPv6 network', async () => {
  const passwordHash = await hashPassword(password)
  const ended: string[] = []
  const check = async (address: string) => {
    await verifyPassword(passwordHash, password, address)
    ended.push(address)
  }
  const flood = Array.from({ length: 50 }, (_, index) => check(`2001:db8::${index}`))

  await Promise.all([...flood, check('192.0.2.1')])

  // those that have begun, and perhaps some beside it, end before: their threads run in any order
  expect(ended.indexOf('192.0.2.1')).toBeLessThan(flood.length / 2)
})

test('keeps a hundred requests waiting, and refuses further ones', async () => {
  const results = await Promise.allSettled(Array.from({ length: 150 }, () => hashPassword('a')))

  const refused = results.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(48)
  expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } })
  expect(await hashPassword('a')).toMatch(/^\$argon2id\$/)
})
