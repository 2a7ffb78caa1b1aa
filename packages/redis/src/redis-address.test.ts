import { expect, test } from 'vitest'
import { findRedisFault, parseRedisAddress } from './redis-address.ts'

const plain = { db: 0, isTls: false, isCluster: false }
const secure = { ...plain, host: 'one', port: 6379, isTls: true }
const watching = { group: 'letters', hosts: [{ host: 'one', port: 26379 }] }

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
  [
    'redis://us%3Aer:pass@one.test,[::1]:7000,three.test:26380/2?sentinel=letters&sentinel_user=se%3An&sentinel_password=p%40ss',
    {
      host: 'one.test',
      port: 6379,
      username: 'us:er',
      password: 'pass',
      db: 2,
      isTls: false,
      isCluster: false,
      sentinel: {
        group: 'letters',
        hosts: [
          { host: 'one.test', port: 26379 },
          { host: '::1', port: 7000 },
          { host: 'three.test', port: 26380 },
        ],
        username: 'se:n',
        password: 'p@ss',
        isTls: false,
      },
    },
  ],
  ['rediss://one?sentinel=letters', { ...secure, sentinel: { ...watching, isTls: true } }],
  [
    'rediss://one?sentinel=letters&sentinel_tls=false',
    { ...secure, sentinel: { ...watching, isTls: false } },
  ],
  [
    'redis://one?sentinel=letters&sentinel_tls=true&cacert=/etc/ca.pem',
    {
      ...secure,
      isTls: false,
      sentinel: { ...watching, isTls: true },
      authoritiesFile: '/etc/ca.pem',
    },
  ],
])('accepts %s', (address, parsed) => {
  expect(parseRedisAddress(address)).toEqual(parsed)
  expect(findRedisFault(address)).toBeUndefined()
})

test.each([
  ['redis://redis?cluster=yes', 'must have cluster=true or cluster=false'],
  ['redis://redis/2?cluster=true', 'must name no database'],
  ['redis://redis/letters', 'must name the database by its number'],
  ['redis://redis?family=6', 'must have no parameters but cluster, sentinel, '],
  ['redis://redis:port', 'must be as redis://user:password@host:port/database'],
  ['redis://one:65536', 'must be as redis://user:password@host:port/database'],
  ['redis://%zz@redis', 'must be as redis://user:password@host:port/database'],
  ['redis://one,two:26379:1?sentinel=a', 'must be as redis://user:password@host:port/database'],
  ['redis://one,two', 'must name one host without sentinel'],
  ['redis://one,two?cluster=true', 'must name one host without sentinel'],
  ['redis://one?sentinel=', 'must name the group'],
  ['redis://one?sentinel=a&cluster=true', 'must have cluster=true or sentinel, but not both'],
  ['redis://one?sentinel=a&sentinel_tls=1', 'must have sentinel_tls=true or sentinel_tls=false'],
  ['redis://one?sentinel_user=a', 'with sentinel_user must have sentinel'],
  ['redis://one?sentinel_password=a', 'with sentinel_password must have sentinel'],
  ['redis://one?sentinel_tls=true', 'with sentinel_tls must have sentinel'],
  ['rediss://one?sentinel=a&sentinel_tls=yes', 'must have sentinel_tls=true or'],
  ['redis://one?sentinel=a&cacert=/etc/ca.pem', 'or have sentinel_tls=true'],
  ['redis://redis?cacert=/etc/ca.pem', 'must start with rediss://'],
])('%s is refused: it %s', (address, fault) => expect(findRedisFault(address)).toContain(fault))

test('accepts an address of PostgreSQL', () => {
  expect(findRedisFault('postgresql://queue.test/despatch')).toBeUndefined()
})
