import { neededEvictionPolicy, readEvictionPolicy } from '@despatch/queue/eviction-policy'
import { findRedisFault, parseRedisAddress } from '@despatch/redis/redis-address'
import { type Check, type Finding, reasonWithoutSecrets } from './finding.ts'

const subject = 'queues'

/** Checks that the carrier of the queues does not evict tasks when its memory is full. */
export const checkQueuePolicy: Check = async ({ environment }) => {
  const { QUEUE_URL: url } = environment
  if (!url) return [unset]
  if (!/^(rediss?|postgres(ql)?):\/\/./.test(url)) return [wrongAddress]
  const fault = findRedisFault(url)
  if (fault) return [{ ...wrongAddress, found: `QUEUE_URL ${fault}`, mend: asDocumented }]
  if (!url.startsWith('redis')) return [{ subject, state: 'good', found: 'they are in PostgreSQL' }]
  try {
    return [judgePolicy(await readEvictionPolicy(url))]
  } catch (error) {
    return [silent(reasonWithoutSecrets(error), parseRedisAddress(url).sentinel !== undefined)]
  }
}

/** `policy` is undefined if Redis does not report it, as with some hosted ones. */
export function judgePolicy(policy: string | undefined): Finding {
  if (policy === neededEvictionPolicy) {
    return { subject, state: 'good', found: `Redis has maxmemory-policy ${policy}` }
  }
  const mend = `redis-cli CONFIG SET maxmemory-policy ${neededEvictionPolicy}, and the same in redis.conf`
  if (policy === undefined) {
    const found = 'Redis does not report its maxmemory-policy'
    return { subject, state: 'warning', found, mend: `check that it is ${neededEvictionPolicy}` }
  }
  const found = `Redis has maxmemory-policy ${policy}: it evicts tasks when its memory is full`
  return { subject, state: 'bad', found, mend }
}

const unset: Finding = {
  subject,
  state: 'skipped',
  found: 'QUEUE_URL is not set here; without it they are in the database',
}

const wrongAddress: Finding = {
  subject,
  state: 'bad',
  found: 'QUEUE_URL is not the address of a Redis or PostgreSQL server',
  mend: 'it must start with redis://, rediss://, postgres:// or postgresql://; or remove it',
}

const asDocumented = 'docs/deployment.md has the addresses of Redis that can be used'

function silent(reason: string, isWatched: boolean): Finding {
  const mend = isWatched
    ? 'check that Redis and its sentinels are running, and that QUEUE_URL has the hosts of the sentinels, their group, ' +
      'and the passwords of both'
    : 'check that Redis is running, and that QUEUE_URL has its host and password'
  return { subject, state: 'bad', found: `Redis cannot be queried (${reason})`, mend }
}
