import { expect, test } from 'vitest'
import { findRedisFault, parseRedisAddress } from './redis-address.ts'

const plain = { db: 0, isTls: false, isCluster: false }

test.each([
  ['redis://redis', { ...plain, host: 'redis', port: 6379 }],
  ['redis://127.0.0.1:7000/3', { ...plain, host: '127.0.0.1', port: 7000, db: 3 }],
  ['redis://[::1]:7000', { ...plain, host: '::1', port: 7000 }],
  ['redis://:p%40ss@redis', { ...plain, host: 'redis', port: 6379, password: 'p@ss' }],
  [
    'rediss://us%3Aer:pass@redis.test:6380?cluster=true&cacert=/etc/ca.pem',
    {
      host: 'redis.test',
      port: 6380,
      username: 'us:er',
      password: 'pass',
      db: 0,
      isTls: true,
      isCluster: true,
      authoritiesFile: '/etc/ca.pem',
    },
  ],
])('%s', (address, parsed) => {
  expect(parseRedisAddress(address)).toEqual(parsed)
  expect(findRedisFault(address)).toBeUndefined()
})

test.each([
  ['redis://redis?cluster=yes', 'must have cluster=true or cluster=false'],
  ['redis://redis/2?cluster=true', 'must name no database'],
  ['redis://redis/letters', 'must name the database by its number'],
  ['redis://redis?family=6', 'must have no parameters but cluster and cacert'],
  ['redis://redis?cacert=/etc/ca.pem', 'must start with rediss://'],
])('%s is refused: it %s', (address, fault) => expect(findRedisFault(address)).toContain(fault))

test('an address of PostgreSQL has no fault', () => {
  expect(findRedisFault('postgresql://queue.test/despatch')).toBeUndefined()
})
